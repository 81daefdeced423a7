import CloudModel
import FanfareCloudKit
import JSON
import TestSupport
import Testing

/// Delivery policies from the roles as processes: the pushes, the feed, and the answers to an operator.
@Suite struct PolicyStory {
    private static let token = String(repeating: "cd", count: 32)
    private static let path = "/3/device/\(token)"

    /// A user with a phone that has an address of APNs.
    private static func phone(of user: StoryUser) async throws -> String {
        let phone = try await user.register("phone")
        _ = try await user.client.device(
            "devices/push",
            ["deviceID": .string(phone), "apns": ["token": .string(token), "environment": "development"]])
        return phone
    }

    private static func numbers(_ names: ClosedRange<Int>) -> [(name: String, fields: JSONObject)] {
        names.map { ("r\($0)", ["n": .integer(Int64($0))]) }
    }

    @Test(
        "a digest is one push once its count is reached or its window ends; the feed has each change at once",
        arguments: StorySystem.Kind.available)
    func digests(_ kind: StorySystem.Kind) async throws {
        let provider = try await StoryProvider.start()
        let system = try await StorySystem.start(kind, with: provider.settings)
        let alice = try await system.user("alice")
        let phone = try await Self.phone(of: alice)
        func policy(_ seconds: Int64) -> JSONValue {
            [
                "alertBody": "news",
                "deliveryPolicy": ["grouping": "digest", "windowSeconds": .integer(seconds), "count": 3],
            ]
        }
        try await alice.subscribe("s", to: "Note", on: ["create"], info: policy(86_400), in: .private)
        for number in 1...2 { try await alice.save(Self.numbers(number...number), type: "Note", in: .private) }
        let first = try await alice.feed(phone, atLeast: 2)
        #expect(first.notes.map(\.record) == ["r1", "r2"])
        // Once the state is committed, explain knows the hold.
        try await eventually("the explanation") {
            let held = try await system.run(
                ["explain", "--change", first.notes[0].id, "--subscription", "s"] + system.storeFlags)
            return held.output.contains("its delivery policy holds the push until")
        }
        #expect(provider.pushes(Self.path).isEmpty)
        try await alice.save(Self.numbers(3...3), type: "Note", in: .private)
        let pushes = try await provider.pushes(Self.path, atLeast: 1)
        #expect(pushes[0].json?["fanfare"]?["changes"] == 3 && pushes[0].json?["ck"]?["qry"]?["rid"] == "r3")

        // Another policy, and nothing else happens: the end of the window comes by itself.
        try await alice.subscribe("s", to: "Note", on: ["create"], info: policy(1), in: .private)
        try await alice.save(Self.numbers(4...5), type: "Note", in: .private)
        try await eventually("the push of the last one") {
            provider.pushes(Self.path).contains { $0.json?["ck"]?["qry"]?["rid"] == "r5" }
        }

        // The user's choice wins.
        let chosen = try await alice.client.device(
            "devices/policies",
            [
                "deviceID": .string(phone),
                "deliveryPolicy": ["grouping": "digest", "windowSeconds": 80_000, "count": 2],
            ])
        #expect(chosen["deliveryPolicy"]?["count"] == 2)
        let count = provider.pushes(Self.path).count
        for number in 6...7 { try await alice.save(Self.numbers(number...number), type: "Note", in: .private) }
        let last = try #require(try await provider.pushes(Self.path, atLeast: count + 1).last)
        #expect(last.json?["fanfare"]?["changes"] == 2)
        #expect(try await alice.feed(phone, atLeast: 7).notes.count == 7)
        try await system.stop()
        await provider.stop()
    }

    @Test(
        "a shaped feed has one notification for all changes of a window, and an audit finds each change in it",
        arguments: StorySystem.Kind.available)
    func shapedFeed(_ kind: StorySystem.Kind) async throws {
        let system = try await StorySystem.start(kind)
        let alice = try await system.user("alice")
        let phone = try await alice.register("phone")
        // Changes of a private database are in one partition, so that the last one that is saved is the digest's last.
        try await alice.subscribe(
            "s", to: "Note", on: ["create"],
            info: [
                "shouldBadge": true,
                "deliveryPolicy": ["grouping": "digest", "windowSeconds": 3600, "count": 4, "shapesFeed": true],
            ], in: .private)
        try await alice.save(Self.numbers(1...3), type: "Note", in: .private)
        try await eventually("an audit that finds nothing, while all is held") {
            let audit = try await system.run(["audit"] + system.storeFlags)
            #expect(audit.code == 0, "\(audit)")
            return audit.output.contains("no difference") && !audit.output.contains("on their way")
        }
        #expect(try await alice.feed(phone, atLeast: 0).notes.isEmpty)
        try await alice.save(Self.numbers(4...4), type: "Note", in: .private)
        let note = try #require(try await alice.notifications(phone, atLeast: 1).first)
        #expect(note["changeCount"] == 4 && note["recordName"] == "r4" && note["badge"] == 1)
        let audit = try await system.run(["audit"] + system.storeFlags)
        #expect(audit.code == 0 && audit.output.contains("no difference"), "\(audit)")
        try await system.stop()
    }
}
