import EventLog
import JSON
import KafkaLog
import TestSupport
import Testing

/// Each device has a topic of its own, which any Kafka tool reads from the start (setting `feed-topics`).
@Suite struct FeedTopicsStory {
    @Test(
        "a device's topic has what the device reads over HTTP, though matchers are killed, also for a late device",
        arguments: StorySystem.Kind.available.filter { $0 == .kafka })
    func topics(_ kind: StorySystem.Kind) async throws {
        let system = try await StorySystem.start(kind, with: ["FANFARE_FEED_TOPICS": "true"])
        let alice = try await system.user("alice")
        try await alice.subscribe("all", to: "T", info: ["alertBody": "new", "shouldBadge": true])
        var devices = [try await alice.register("phone")]
        let matcher = try #require(system.processes["subscription-matcher"])
        for round in 0..<4 {
            try await alice.save((0..<40).map { ("t\(round)-\($0)", [:]) }, type: "T", from: devices[0])
            await matcher.kill()
            try await alice.save((40..<80).map { ("t\(round)-\($0)", [:]) }, type: "T")
            try matcher.start()
            if round == 2 { devices.append(try await alice.register("laptop")) }
        }
        for (device, count) in zip(devices, [160, 320]) {
            let feed = try await alice.feed(device, atLeast: count)
            #expect(feed.notes.count == count)
            let lines = try await follow(device, in: system, limit: count)
            #expect(lines.compactMap { $0["recordName"]?.string } == feed.notes.compactMap(\.record))
            #expect(lines.map { $0["badge"]?.integer } == feed.notes.map(\.badge))
        }
        // A topic that somebody else deletes is made again, and its sibling goes on.
        let log = try KafkaLog(KafkaLogConfiguration(bootstrapServers: RealKafka.bootstrapServers()))
        let names = try await log.topics(withPrefix: "\(system.scope).feed.\(devices[0]).")
        #expect(try await log.deleteTopics(names).isEmpty && names.count == 1)
        await log.close()
        try await alice.save([("last", [:])], type: "T")
        for (device, count) in zip(devices, [161, 321]) {
            let lines = try await follow(device, in: system, limit: count)
            #expect(lines.count == count && lines.last?["recordName"]?.string == "last")
        }
        // The topic of a removed device goes.
        let laptop = devices[1]
        try await alice.unregister(laptop)
        try await eventually("the end of the topic") {
            let read = try await system.run(reader(laptop, in: system) + ["--until-caught-up"])
            return read.code != 0 && read.complaints.contains("has no feed")
        }
        try await system.stop()
    }

    private func reader(_ device: String, in system: StorySystem) -> [String] {
        ["device-client", "--device", device, "--token-key-file", system.folder.path("data/token.keys")]
    }

    /// The notifications that `device-client` reads from Kafka, once the topic is there.
    private func follow(_ device: String, in system: StorySystem, limit: Int) async throws -> [JSONValue] {
        let arguments = reader(device, in: system) + ["--from-start", "--limit", "\(limit)"]
        return try await answer("the topic of \(device)") {
            let read = try await system.run(arguments)
            guard read.code == 0 else { return nil }
            return try read.output.split(separator: "\n").map { try JSONValue(parsing: Array($0.utf8)) }
        }
    }
}
