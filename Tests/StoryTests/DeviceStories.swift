import CloudModel
import FanfareCloudKit
import JSON
import TestSupport
import Testing

/// Stories D1 to D8 as an app lives through them, over HTTP, on the embedded log and on Kafka.
@Suite struct DeviceStories {
    static let kinds = StorySystem.Kind.available

    private func artworks(_ range: Range<Int>, prefix: String = "a") -> [(name: String, fields: JSONObject)] {
        range.map {
            (
                "\(prefix)\($0)-\(UInt32.random(in: 0 ... .max))",
                ["year": .integer(Int64(1900 + $0)), "title": "T\($0)"]
            )
        }
    }

    @Test("D1 a registered device is live and gets earlier notifications", arguments: kinds)
    func installing(_ kind: StorySystem.Kind) async throws {
        let alice = try await StorySystem.shared(kind).user("alice")
        try await alice.subscribe("all", to: "D1")
        let phone = try await alice.register("phone")
        #expect(try await alice.feed(phone).notes.isEmpty)
        try await alice.save(artworks(0..<3), type: "D1")
        #expect(try await alice.feed(phone, atLeast: 3).notes.count == 3)
        let laptop = try await alice.register("laptop")
        let before = try await alice.feed(laptop)
        #expect(before.notes.count == 3)
        try await alice.save(artworks(3..<4), type: "D1")
        #expect(try await alice.feed(laptop, atLeast: 1, after: before.token).notes.count == 1)
    }

    @Test("D2 pages without a token give all notifications, and with a token later ones", arguments: kinds)
    func paging(_ kind: StorySystem.Kind) async throws {
        let alice = try await StorySystem.shared(kind).user("alice")
        try await alice.subscribe("all", to: "D2")
        let phone = try await alice.register("phone")
        try await alice.save(artworks(0..<25), type: "D2")
        let whole = try await alice.feed(phone, atLeast: 25)
        for limit in [1, 7, 25, 26] {
            #expect(try await alice.feed(phone, limit: limit).notes == whole.notes, "limit \(limit)")
        }
        let first = try await alice.changes(phone, limit: 10)
        #expect(first.notes.count == 10 && first.moreComing)
        let second = try await alice.changes(phone, after: first.token, limit: 15)
        #expect(first.notes + second.notes == whole.notes && !second.moreComing)
        #expect(try await alice.changes(phone, after: second.token).notes.isEmpty)
        // Notifications after the token come, read or not.
        _ = try await alice.markRead([whole.notes[20].id], on: phone)
        #expect(try await alice.feed(phone, after: first.token).notes == second.notes)
    }

    @Test("D3 a second device replays the same history, contents and order included", arguments: kinds)
    func replaying(_ kind: StorySystem.Kind) async throws {
        let alice = try await StorySystem.shared(kind).user("alice")
        try await alice.subscribe("all", to: "D3", info: ["alertBody": "new", "additionalFields": ["title"]])
        let phone = try await alice.register("phone")
        let other = try await alice.user(of: StorySystem.shared(kind), "bob")
        try await alice.save(artworks(0..<5, prefix: "own"), type: "D3", from: phone)
        try await other.save(artworks(0..<40), type: "D3")
        let seen = try await alice.feed(phone, atLeast: 40)
        _ = try await alice.markRead([seen.notes[0].id, seen.notes[1].id], on: phone)
        let laptop = try await alice.register("laptop")
        // Changes of several records are delivered side by side: what the phone caused may come after what bob did.
        let replay = try await alice.feed(laptop, atLeast: 45 + 2)
        let notifications = replay.notes.filter { $0.type == "query" }
        // The laptop also gets what the phone caused, and everything the phone got, in the same order.
        #expect(notifications.count == 45)
        #expect(notifications.filter { !$0.record!.hasPrefix("own") }.map(\.content) == seen.notes.map(\.content))
        #expect(notifications.allSatisfy { $0.fields!.contains("title") && $0.alert == "new" })
        #expect(
            replay.notes.filter { $0.type == "readNotification" }.map(\.id) == [seen.notes[0].id, seen.notes[1].id])
        // From then on it is live, and the phone, with its token, sees nothing twice.
        try await other.save(artworks(40..<41), type: "D3")
        #expect(try await alice.feed(laptop, atLeast: 1, after: replay.token).notes.count == 1)
        #expect(try await alice.feed(phone, atLeast: 1, after: seen.token).notes.count == 1)
    }

    @Test("D4 read marks reach the other devices, and contents stay", arguments: kinds)
    func readMarks(_ kind: StorySystem.Kind) async throws {
        let alice = try await StorySystem.shared(kind).user("alice")
        try await alice.subscribe("all", to: "D4")
        let phone = try await alice.register("phone")
        let laptop = try await alice.register("laptop")
        try await alice.save(artworks(0..<3), type: "D4")
        let seen = try await alice.feed(phone, atLeast: 3)
        let other = try await alice.feed(laptop, atLeast: 3)
        let errors = try await alice.markRead(
            [seen.notes[1].id, seen.notes[1].id, "00000000-0000-4000-8000-000000000000"], on: phone)
        #expect(errors == ["00000000-0000-4000-8000-000000000000": "NOT_FOUND"])
        _ = try await alice.markRead([seen.notes[1].id], on: laptop)
        let news = try await alice.feed(laptop, atLeast: 1, after: other.token)
        #expect(news.notes.map(\.type) == ["readNotification"] && news.notes[0].id == seen.notes[1].id)
        #expect(try await alice.feed(phone, after: seen.token).notes.isEmpty)
        #expect(try await alice.feed(phone).notes == seen.notes)
    }

    @Test("D6 the badge is one counter on all devices", arguments: kinds)
    func badges(_ kind: StorySystem.Kind) async throws {
        let alice = try await StorySystem.shared(kind).user("alice")
        try await alice.subscribe("all", to: "D6", info: ["alertBody": "new", "shouldBadge": true])
        let phone = try await alice.register("phone")
        let laptop = try await alice.register("laptop")
        try await alice.save(artworks(0..<3), type: "D6")
        #expect(try await alice.feed(phone, atLeast: 3).notes.map(\.badge) == [1, 2, 3])
        _ = try await alice.feed(laptop, atLeast: 3)
        // The notification carries its badge; what `badge/current` says follows a moment later.
        try await eventually("the laptop's badge") { try await alice.badge(laptop) == 3 }
        try await alice.setBadge(0, on: phone)
        #expect(try await alice.badge(laptop) == 0)
        #expect(try await alice.badge(phone) == 0)
        try await alice.save(artworks(3..<4), type: "D6", from: laptop)
        #expect(try await alice.feed(phone, atLeast: 4).notes.last?.badge == 1)
        try await eventually("the phone's badge") { try await alice.badge(phone) == 1 }
        #expect(try await alice.badge(laptop) == 0)
        let tablet = try await alice.register("tablet")
        #expect(try await alice.badge(tablet) == 1)
    }

    @Test("D7 a removed device has no feed, and starts again when it is registered again", arguments: kinds)
    func removing(_ kind: StorySystem.Kind) async throws {
        let alice = try await StorySystem.shared(kind).user("alice")
        try await alice.subscribe("all", to: "D7")
        let phone = try await alice.register("phone")
        try await alice.save(artworks(0..<3), type: "D7")
        let seen = try await alice.feed(phone, atLeast: 3)
        try await alice.unregister(phone)
        let gone = await #expect(throws: FanfareError.self) { _ = try await alice.changes(phone) }
        #expect(gone?.code == .notFound)
        try await alice.save(artworks(3..<5), type: "D7")
        _ = try await alice.client.device("devices/register", ["deviceID": .string(phone)])
        let expired = await #expect(throws: FanfareError.self) {
            _ = try await alice.changes(phone, after: seen.token)
        }
        #expect(expired?.code == .changeTokenExpired && expired?.status == 410)
        let again = try await alice.feed(phone, atLeast: 5)
        #expect(Array(again.notes.prefix(3)) == seen.notes && again.notes.count == 5)
    }

    @Test("D8 a change does not notify the device that made it, but the others", arguments: kinds)
    func origin(_ kind: StorySystem.Kind) async throws {
        let alice = try await StorySystem.shared(kind).user("alice")
        try await alice.subscribe("all", to: "D8")
        let phone = try await alice.register("phone")
        let laptop = try await alice.register("laptop")
        let own = artworks(0..<3)
        try await alice.save(own, type: "D8", from: phone)
        try await alice.save(artworks(3..<4), type: "D8", from: laptop)
        let delivered = try await alice.feed(laptop, atLeast: 3).notes.compactMap(\.record)
        #expect(delivered.sorted() == own.map(\.name).sorted())
        #expect(try await alice.feed(phone, atLeast: 1).notes.count == 1)
    }
}

extension StoryUser {
    /// Another user of the same system.
    func user(of system: StorySystem, _ name: String) async throws -> StoryUser { try await system.user(name) }
}
