import JSON
import TestSupport
import Testing

/// `device-client` as it runs in a container, where nobody starts it again.
@Suite struct FollowingStory {
    @Test("a device-client that follows for people outlives the service's absence")
    func outliving() async throws {
        let system = try await StorySystem.start(.embedded)
        let user = "watcher-\(UInt32.random(in: 0 ... .max))"
        let client = system.command(
            [
                "device-client", "--url", system.url, "--api-token", system.apiToken, "--user", user, "--device", user,
                "--format", "text", "--token-file", system.folder.path("change.token"),
            ], name: "device-client")
        let service = try #require(system.processes["dev"])
        // The client is there before the service is.
        await service.kill()
        try client.start()
        try await eventually("a complaint") { client.complaints.contains("trying again") }
        try service.start()
        let watcher = try await eventuallySignedIn(system, user)
        try await watcher.subscribe("all", to: "Following")
        try await watcher.save([("first", ["number": 1])], type: "Following")
        try await eventually("the first line") { client.output.contains(#""Following" "first""#) }
        // The service goes away and comes back.
        await service.kill()
        try service.start()
        let again = try await eventuallySignedIn(system, user)
        try await again.save([("second", ["number": 2])], type: "Following")
        try await eventually("the second line") {
            client.output.contains(#""Following" "second""#)
        }
        #expect(client.output.split(separator: "\n").count == 2)
        #expect(await client.terminate() == 0)
        try await system.stop()
    }

    @Test("a device-client that is refused says so and ends")
    func refused() async throws {
        let system = try await StorySystem.shared(.embedded)
        let client = system.command(
            [
                "device-client", "--url", system.url, "--api-token", String(repeating: "0", count: 64), "--user", "eve",
                "--device", "eve",
            ], name: "refused")
        #expect(try await client.run().code == 1)
        #expect(client.complaints.contains("AUTHENTICATION_FAILED"))
    }

    /// The named user, once the service answers.
    private func eventuallySignedIn(_ system: StorySystem, _ name: String) async throws -> StoryUser {
        try await eventually("the service") { (try? await system.user(named: name)) != nil }
        return try await system.user(named: name)
    }
}
