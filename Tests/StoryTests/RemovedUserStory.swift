import CloudModel
import JSON
import TestSupport
import Testing

/// A user who was removed leaves delivery, too: nothing is kept, nothing comes, and nothing is missing.
@Suite struct RemovedUserStory {
    @Test(
        "after users delete, delivery has nothing of the user's, and the others lose nothing",
        arguments: StorySystem.Kind.available)
    func delivery(_ kind: StorySystem.Kind) async throws {
        let system = try await StorySystem.start(kind)
        let (alice, bob) = (try await system.user("alice"), try await system.user("bob"))
        let (phone, tablet) = (try await alice.register("phone"), try await bob.register("tablet"))
        for user in [alice, bob] { try await user.subscribe("tasks", to: "Task") }
        try await alice.save([(name: "first", fields: ["n": 1])], type: "Task")
        _ = try await bob.feed(tablet, atLeast: 1)
        let removed = try await system.run(["users", "delete", bob.record.rawValue] + system.storeFlags)
        #expect(removed.code == 0, "\(removed)")
        try await alice.save([(name: "second", fields: ["n": 2])], type: "Task")
        let feed = try await alice.feed(phone, atLeast: 2)
        #expect(feed.notes.map(\.record) == ["first", "second"])

        try await eventually("an audit without differences") {
            let audit = try await system.run(["audit"] + system.storeFlags)
            #expect(audit.code == 0, "\(audit)")
            return audit.output.contains("no difference") && !audit.output.contains("on their way")
        }
        let devices = try await system.run(["devices", "list", "--json"] + system.storeFlags)
        #expect(devices.output.contains(phone) && !devices.output.contains(tablet), "\(devices)")
        try await system.stop()
    }
}
