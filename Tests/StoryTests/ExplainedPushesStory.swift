import CloudModel
import FanfareCloudKit
import JSON
import TestSupport
import Testing

/// O4 for pushes: an operator asks what happened to one.
@Suite struct ExplainedPushesStory {
    @Test(
        "O4 pushes that were sent, collapsed and dropped are explained, from the sender's push-log",
        arguments: StorySystem.Kind.available)
    func pushes(_ kind: StorySystem.Kind) async throws {
        let provider = try await StoryProvider.start()
        let system = try await StorySystem.start(kind, with: provider.settings)
        let alice = try await system.user("alice")
        let phone = try await alice.register("phone")
        let token = String(repeating: "ab", count: 32)
        let path = "/3/device/\(token)"
        func register() async throws {
            _ = try await alice.client.device(
                "devices/push",
                ["deviceID": .string(phone), "apns": ["token": .string(token), "environment": "development"]])
        }
        try await register()
        try await alice.subscribe("s", to: "Note", info: ["alertBody": "rings"], in: .private)
        func save(_ name: String) async throws { try await alice.save([(name, ["n": 1])], type: "Note", in: .private) }

        try await save("sent")
        let first = try #require(try await provider.pushes(path, atLeast: 1).first)
        // The provider is busy until a newer push has come.
        provider.answer(path, 429, #"{"reason": "TooManyRequests"}"#)
        try await save("collapsed")
        _ = try await provider.pushes(path, atLeast: 2)
        try await save("newer")
        try await eventually("both in one push") {
            let notes = try await alice.feed(phone, atLeast: 3).notes
            let steps = try await explain(system, notes[1].id)
            return steps.contains { $0["step"] == "collapsed" && $0["outcome"] == "yes" }
        }
        provider.answer(path, nil)
        try await eventually("the newer one") {
            let notes = try await alice.feed(phone, atLeast: 3).notes
            return try await explain(system, notes[1].id).last?["push"]?["outcome"] == "sent"
        }
        provider.answer(path, 400, #"{"reason": "PayloadEmpty"}"#)
        let count = provider.pushes(path).count
        try await save("dropped")
        _ = try await provider.pushes(path, atLeast: count + 1)
        provider.answer(path, 410, #"{"reason": "Unregistered", "timestamp": 4102444800000}"#)
        try await save("gone")
        _ = try await provider.pushes(path, atLeast: count + 2)

        let notes = try await alice.feed(phone, atLeast: 5).notes
        try await eventually("the push-log") {
            try await explain(system, notes[4].id).contains { $0["push"]?["outcome"] == "removed" }
        }
        let sent = try await explain(system, notes[0].id)
        #expect(sent.map { $0["step"]?.string } == ["push", "handed", "sent"])
        #expect(sent.last?["push"]?["pushID"]?.string == first.id && sent.last?["push"]?["status"] == 200)
        let collapsed = try await explain(system, notes[1].id)
        #expect(collapsed.contains { $0["push"]?["reason"] == "TooManyRequests" })
        #expect(collapsed.last?["push"]?["outcome"] == "sent" && collapsed.last?["push"]?["merged"] == 2)
        let dropped = try await explain(system, notes[3].id)
        #expect(dropped.last?["step"] == "dropped" && dropped.last?["push"]?["reason"] == "PayloadEmpty")
        let text = try await system.run(
            ["explain", "--change", notes[4].id, "--subscription", "s"] + flags(system))
        #expect(text.code == 0 && text.output.contains("dropped: token gone since 2100-01-01"), "\(text)")
        // Without the file nothing is made up.
        let blind = try await system.run(
            ["explain", "--change", notes[0].id, "--subscription", "s", "--push-log", system.folder.path("none")]
                + system.storeFlags)
        #expect(blind.code == 0 && blind.output.contains("a push-log cannot be read"), "\(blind)")
        try await system.stop()
        await provider.stop()
    }

    /// The steps of pushes of an explanation.
    private func explain(_ system: StorySystem, _ change: String) async throws -> [JSONValue] {
        let ended = try await system.run(
            ["explain", "--json", "--change", change, "--subscription", "s"] + flags(system))
        #expect(ended.code == 0, "\(ended)")
        let steps = try JSONValue(parsing: Array(ended.output.utf8))["steps"]?.array ?? []
        return Array(steps.drop { $0["step"] != "push" })
    }

    /// The flags of the store and the push-log: the sender of a cluster has a data folder of its own.
    private func flags(_ system: StorySystem) -> [String] {
        guard !system.kind.isEmbedded else { return system.storeFlags }
        return ["--push-log", system.folder.path("sender/\(system.scope).push-log.sqlite")] + system.storeFlags
    }
}
