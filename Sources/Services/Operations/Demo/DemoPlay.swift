import CloudModel
package import FanfareCloudKit
import Telemetry

/// Plays stories of a user with two devices on real artworks, and holds what the devices were told against what someone
/// else counted.
package struct DemoPlay {
    private let scenario: DemoScenario
    private let expected: DemoExpectation
    private let folder: String
    private let museum: CloudService
    private let phone: DemoDevice
    private let laptop: DemoDevice
    private let artists: [String: String]
    let artworks: LineReader
    private let timeline: DemoTimeline
    private var read: [String] = []
    private var checks = DemoChecks()

    /// Signs the museum and a visitor in.
    /// - Parameters:
    ///   - client: nobody's; the service must be fresh, as a visitor may not change what an earlier visitor added.
    ///   - folder: where `artworks.jsonl.gz`, `artists.jsonl.gz` and `demo.json` are.
    ///   - expected: the file with the notifications that must come.
    package init(client: CloudService, folder: String, expected: String, timeline: DemoTimeline) async throws {
        self.folder = folder
        self.timeline = timeline
        scenario = try DemoScenario(folder: folder)
        self.expected = try DemoExpectation(path: expected)
        artworks = try LineReader(path: "\(folder)/artworks.jsonl.gz")
        artists = try Self.artists(folder)
        museum = try await client.signedIn(as: "museum").client
        let run = String(UInt32.random(in: 0 ... .max), radix: 36)
        let visitor = try await client.signedIn(as: "visitor-\(run)").client
        phone = DemoDevice(.phone, of: visitor, run: run, artists: artists, timeline)
        laptop = DemoDevice(.laptop, of: visitor, run: run, artists: artists, timeline)
    }

    /// Plays everything and says how it ended.
    /// - Returns: whether all agrees.
    package mutating func run() async throws -> Bool {
        try await open()
        try await subscribe()
        try await listenOnPhone()
        try await markRead()
        try await installLaptop()
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
        let count = try await importRecords(
            try LineReader(path: "\(folder)/artists.jsonl.gz"), type: "Artist", name: "id", as: museum)
        timeline.say(
            .museum, "imports \(count.grouped) artists; their record type is made on the fly, as in development")
        let known = try await importArtworks(scenario.known, as: museum)
        timeline.say(.museum, "imports \(known.grouped) artworks, each with a reference to its artist")
        try await phone.register()
        timeline.say(.phone, "installs the app: a device with a feed of its own")
    }

    private func subscribe() async throws {
        let artist = Reference(recordName: RecordName(trusted: scenario.artist), action: .none)
        try await subscribe("artist", [filter("artist", .equals, .reference(artist))])
        timeline.say(
            .phone, "subscribes to “artist”: artist == \(artists[scenario.artist] ?? scenario.artist), a reference")
        let years = scenario.years
        try await subscribe(
            "years",
            [
                filter("year", .greaterThanOrEquals, .int64(years.lowerBound)),
                filter("year", .lessThanOrEquals, .int64(years.upperBound)),
            ])
        timeline.say(.phone, "subscribes to “years”: year >= \(years.lowerBound) AND year <= \(years.upperBound)")
    }

    private func filter(_ field: String, _ comparator: CloudModel.Comparator, _ value: FieldValue) -> GivenFilter {
        GivenFilter(
            field: .field(FieldName(trusted: field)), comparator: comparator,
            operand: .value(GivenValue(value, isTypeExplicit: true)))
    }

    private func subscribe(_ id: String, _ filters: [GivenFilter]) async throws {
        let fields = ["title", "artist", "year"].map { FieldName(trusted: $0) }
        let draft = SubscriptionDraft(
            id: SubscriptionID(trusted: id),
            query: GivenQuery(recordType: RecordType(trusted: "Artwork"), filters: filters), zone: nil,
            firesOn: .create, firesOnce: false,
            notificationInfo: NotificationInfo(
                alertBody: "A new artwork", additionalFields: fields, shouldBadge: true))
        if case .failure(let error)? = try await phone.client.modify([.create(draft)], in: .public).first {
            throw ImportError("the subscription '\(id)' was refused: \(error.reason)")
        }
    }

    private func listenOnPhone() async throws {
        timeline.say(
            .museum, "imports \(scenario.imported.grouped) more at full speed, and the phone is told as they are saved:"
        )
        let (phone, count) = (phone, expected.entries("phone", ["imported"]).count)
        async let told: Void = phone.follow(until: count, showing: 8)
        _ = try await importArtworks(scenario.imported, as: museum)
        try await told
        timeline.say(
            .phone, "was told \(await phone.notes.count.grouped) times; \(Self.percentiles(await phone.latencies))")
        timeline.say(.phone, "keeps its change token \(Self.short(await phone.token))")
    }

    private mutating func markRead() async throws {
        // An artwork that two subscriptions are about gave two notifications of one ID.
        for note in await phone.notes where read.count < 5 && !read.contains(note.id) { read.append(note.id) }
        try await phone.markRead(read)
        timeline.say(.phone, "marks \(read.count) artworks' notifications read")
    }

    private mutating func installLaptop() async throws {
        checks.same("the laptop has a feed before it is installed", try await laptop.isInstalled(), false)
        try await laptop.register()
        let began = ContinuousClock.now
        try await laptop.catchUp(pageSize: 100)
        let milliseconds = (ContinuousClock.now - began).microseconds / 1000
        let replayed = await laptop.notes
        let contents = replayed.filter { !$0.isRead }.map(\.content)
        timeline.say(
            .laptop,
            "installs the app later and has no token: replays \(contents.count.grouped) notifications in \(await laptop.pages) pages, \(milliseconds) ms"
        )
        let isSame = checks.same(
            "the laptop's replay is what the phone was told, in order", contents == (await phone.notes.map(\.content)),
            true)
        let knowsRead = checks.same("what the laptop knows to be read", replayed.filter(\.isRead).map(\.id), read)
        timeline.say(
            .laptop,
            isSame && knowsRead
                ? "has the same contents in the same order, and knows which \(read.count) were read"
                : "has not the same as the phone")
    }

    private func addFromPhone() async throws {
        timeline.say(.phone, "adds \(scenario.own.grouped) artworks itself, so only the laptop is told:")
        let (laptop, count) = (laptop, expected.entries("laptop", ["own"]).count)
        async let told: Void = laptop.follow(until: count, showing: 3)
        _ = try await importArtworks(scenario.own, as: phone.client)
        try await told
    }

    private func listenOnBoth() async throws {
        timeline.say(
            .museum, "imports the others, a few at a time; both are told, and the phone reads on from its token:")
        let (phone, laptop, count) = (phone, laptop, expected.entries("phone", ["rest"]).count)
        async let phoneTold: Void = phone.follow(until: count, showing: 3)
        async let laptopTold: Void = laptop.follow(until: count, showing: 3)
        _ = try await importArtworks(as: museum, pace: RecordImport.Pace(requestsMax: 1, recordsMax: 10))
        try await phoneTold
        try await laptopTold
        timeline.say(
            .phone, "was told \(await phone.latencies.count) times more; \(Self.percentiles(await phone.latencies))")
    }

    private mutating func resetBadge() async throws {
        let own = expected.entries("laptop", ["own"]).count
        let before = await phone.notes.last?.badge ?? 0
        let other = await laptop.notes.last?.badge ?? 0
        checks.same("the phone's badge", before, Int64(expected.entries("phone").count))
        checks.same("the laptop's badge", other, Int64(expected.entries("phone").count + own))
        try await phone.setBadge(0)
        let after = try await laptop.badge()
        checks.same("the laptop's badge after the phone set it to 0", after, 0)
        timeline.say(
            .phone,
            "sets its badge from \(before) to 0, and the laptop's goes from \(other) to \(after)")
    }

    private mutating func compare() async throws {
        let (phone, laptop) = (phone, laptop)
        async let phoneListened: Void = phone.listen()
        async let laptopListened: Void = laptop.listen()
        _ = try await (phoneListened, laptopListened)
        let phoneNotes = await phone.notes.filter { !$0.isRead }
        let laptopNotes = await laptop.notes.filter { !$0.isRead }
        var table = DemoTable()
        for subscription in ["artist", "years"] {
            for (device, notes) in [("phone", phoneNotes), ("laptop", laptopNotes)] {
                let wanted = expected.entries(device).filter { $0.subscription == subscription }
                let got = notes.map(\.entry).filter { $0.subscription == subscription }
                checks.entries("\(device), “\(subscription)”", got, wanted)
                table.add(subscription, device, counted: wanted.count, received: got.count)
            }
        }
        let ids = Set(phoneNotes.map(\.id))
        checks.same(
            "both devices have what both were told in the same order",
            laptopNotes.filter { ids.contains($0.id) }.map(\.content) == phoneNotes.map(\.content), true)
        timeline.plain()
        for line in table.lines { timeline.plain(line) }
        timeline.plain()
    }
}
