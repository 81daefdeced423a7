import FanfareCloudKit
import Foundation

/// The stories, in their order.
struct Play {
    private let scenario: Scenario
    private let expected: Expectation
    private let artists: Table
    private let artworks: Table
    private let names: [String: String]
    private let museum: CKDatabase
    private let phone: Device
    private let laptop: Device
    private let timeline = Timeline()
    private let checks = Checks()

    /// Names the museum and a visitor.
    /// - Parameter service: a fresh service, as a visitor may not change what an earlier visitor added.
    init(service: CKContainer.Configuration, folder: URL, expected: URL) throws {
        scenario = try Scenario(folder)
        self.expected = try Expectation(expected)
        artists = try Table(folder.appendingPathComponent("artists.jsonl"), type: "Artist", name: "id")
        artworks = try Table(
            folder.appendingPathComponent("artworks.jsonl"), type: "Artwork", name: "accession", reference: "artist")
        names = artists.texts("name")
        let run = String(UInt32.random(in: 0 ... .max), radix: 36)
        func container(_ user: String, _ device: String) -> CKContainer {
            var configuration = service
            configuration.signIn = .developmentUser(user)
            configuration.deviceID = "\(device)-\(run)"
            configuration.deviceName = device
            return CKContainer(configuration: configuration)
        }
        museum = container("museum", "museum").publicCloudDatabase
        phone = Device(.phone, container("visitor-\(run)", "phone"), names, timeline)
        laptop = Device(.laptop, container("visitor-\(run)", "laptop"), names, timeline)
    }

    /// Plays everything and prints the result.
    /// - Returns: whether all agrees.
    func run() async throws -> Bool {
        try await open()
        try await subscribe()
        try await listenOnPhone()
        try await installLaptop(after: try await markRead())
        try await addFromPhone()
        try await listenOnBoth()
        try await resetBadge()
        try await compare()
        for difference in checks.differences { timeline.verdict("Differs: \(difference)", isGood: false) }
        guard checks.differences.isEmpty else { return false }
        timeline.verdict("Everything agrees: nothing lost, nothing doubled, nothing out of order.", isGood: true)
        return true
    }

    private func open() async throws {
        try await artists.save(artists.rows[...], in: museum)
        timeline.say(
            .museum,
            "imports \(artists.rows.count.grouped) artists; their record type is made on the fly, as in development")
        try await artworks.save(artworks.rows[scenario.knownPart], in: museum)
        timeline.say(.museum, "imports \(scenario.known.grouped) artworks, each with a reference to its artist")
        try await phone.container.registerDevice()
        timeline.say(.phone, "installs the app: a device with a feed of its own")
    }

    private func subscribe() async throws {
        let artist = CKRecord.Reference(recordID: CKRecord.ID(recordName: scenario.artist), action: .none)
        try await subscribe("artist", NSPredicate(format: "artist == %@", artist))
        timeline.say(
            .phone, "subscribes to “artist”: artist == \(names[scenario.artist] ?? scenario.artist), a reference")
        let (first, last) = (scenario.yearFirst, scenario.yearLast)
        try await subscribe(
            "years", NSPredicate(format: "year >= %@ AND year <= %@", NSNumber(value: first), NSNumber(value: last)))
        timeline.say(.phone, "subscribes to “years”: year >= \(first) AND year <= \(last)")
    }

    private func subscribe(_ id: String, _ predicate: NSPredicate) async throws {
        let subscription = CKQuerySubscription(
            recordType: "Artwork", predicate: predicate, subscriptionID: id, options: .firesOnRecordCreation)
        let info = CKSubscription.NotificationInfo()
        info.alertBody = "A new artwork"
        info.desiredKeys = ["title", "artist", "year"]
        info.shouldBadge = true
        subscription.notificationInfo = info
        try await phone.container.publicCloudDatabase.save(subscription)
    }

    private func listenOnPhone() async throws {
        timeline.say(
            .museum,
            "imports \(scenario.imported.grouped) more at full speed, and the phone is notified as they are saved:")
        let (phone, count) = (phone, expected.entries("phone", ["imported"]).count)
        async let notified: Void = phone.follow(until: count, showing: 8)
        try await artworks.save(artworks.rows[scenario.importedPart], in: museum)
        try await notified
        timeline.say(
            .phone, "got \(await phone.notes.count.grouped) notifications; \(Self.percentiles(await phone.latencies))")
        timeline.say(.phone, "keeps its change token \(try Self.short(await phone.token))")
    }

    private func markRead() async throws -> [CKNotification.ID] {
        // An artwork that two subscriptions are about gave two notifications of one ID.
        var read: [CKNotification.ID] = []
        for note in await phone.notes where read.count < 5 && !read.contains(note.id) { read.append(note.id) }
        if let refused = try await phone.container.markRead(read).first { throw refused.value }
        timeline.say(.phone, "marks \(read.count) artworks' notifications read")
        return read
    }

    private func installLaptop(after read: [CKNotification.ID]) async throws {
        try await laptop.container.registerDevice()
        let began = ContinuousClock.now
        let pages = try await laptop.catchUp(pageSize: 100)
        let time = Int((ContinuousClock.now - began) / .milliseconds(1))
        let replayed = await laptop.notes
        let works = replayed.filter { !$0.isRead }
        timeline.say(
            .laptop,
            "installs the app later and has no token: replays \(works.count.grouped) notifications in \(pages) pages, \(time) ms"
        )
        let isSame = checks.same(
            "the laptop's replay equals the phone's notifications, in order", works == (await phone.notes), true)
        let knowsRead = checks.same("the laptop's read notifications", replayed.filter(\.isRead).map(\.id), read)
        timeline.say(
            .laptop,
            isSame && knowsRead
                ? "has the same contents in the same order, and knows which \(read.count) were read"
                : "has not the same as the phone")
    }

    private func addFromPhone() async throws {
        timeline.say(.phone, "adds \(scenario.own.grouped) artworks itself, so only the laptop is notified:")
        let (laptop, count) = (laptop, expected.entries("laptop", ["own"]).count)
        async let notified: Void = laptop.follow(until: count, showing: 3)
        try await artworks.save(artworks.rows[scenario.ownPart], in: phone.container.publicCloudDatabase)
        try await notified
    }

    private func listenOnBoth() async throws {
        timeline.say(
            .museum, "imports the others, a few at a time; both are notified, and the phone continues from its token:")
        let (phone, laptop, count) = (phone, laptop, expected.entries("phone", ["rest"]).count)
        async let onPhone: Void = phone.follow(until: count, showing: 3)
        async let onLaptop: Void = laptop.follow(until: count, showing: 3)
        try await artworks.save(artworks.rows[scenario.restStart...], in: museum, together: 10, requestsMax: 1)
        _ = try await (onPhone, onLaptop)
        timeline.say(
            .phone, "got \(await phone.latencies.count) more notifications; \(Self.percentiles(await phone.latencies))")
    }

    private func resetBadge() async throws {
        let count = expected.entries("phone").count
        let before = await phone.notes.last?.badge ?? 0
        let other = await laptop.notes.last?.badge ?? 0
        checks.same("the phone's badge", before, count)
        checks.same("the laptop's badge", other, count + expected.entries("laptop", ["own"]).count)
        try await phone.container.setBadge(0)
        let after = try await laptop.container.badge()
        checks.same("the laptop's badge after the phone set it to 0", after, 0)
        timeline.say(.phone, "sets its badge from \(before) to 0, and the laptop's goes from \(other) to \(after)")
    }

    private func compare() async throws {
        let (phone, laptop) = (phone, laptop)
        async let onPhone: Void = phone.listen()
        async let onLaptop: Void = laptop.listen()
        _ = try await (onPhone, onLaptop)
        let phoneNotes = await phone.notes.filter { !$0.isRead }
        let laptopNotes = await laptop.notes.filter { !$0.isRead }
        var lines = [Timeline.row("subscription", "device", "counted from the data", "notifications")]
        for subscription in ["artist", "years"] {
            for (device, notes) in [("phone", phoneNotes), ("laptop", laptopNotes)] {
                let wanted = expected.entries(device).filter { $0.subscription == subscription }
                let got = notes.map(\.entry).filter { $0.subscription == subscription }
                checks.entries("\(device), “\(subscription)”", got, wanted)
                lines.append(
                    Timeline.row(subscription, device, wanted.count.grouped, got.count.grouped)
                        + (wanted.count == got.count ? "  ✓" : "  ✗"))
            }
        }
        let ids = Set(phoneNotes.map(\.id))
        checks.same(
            "both devices have their common notifications in the same order",
            laptopNotes.filter { ids.contains($0.id) } == phoneNotes, true)
        for line in [""] + lines + [""] { timeline.plain(line) }
    }

    private static func percentiles(_ latencies: [Int]) -> String {
        let sorted = latencies.sorted()
        func milliseconds(_ share: Double) -> String {
            sorted.isEmpty ? "–" : String(sorted[min(Int(share * Double(sorted.count)), sorted.count - 1)])
        }
        return "half within \(milliseconds(0.5)) ms of the commit, 99 % within \(milliseconds(0.99)) ms"
    }

    private static func short(_ token: CKServerChangeToken?) throws -> String {
        guard let token else { return "–" }
        let text = try JSONDecoder().decode(String.self, from: JSONEncoder().encode(token))
        return "\(text.prefix(12))… (\(text.count) characters)"
    }
}
