import CloudModel
import FanfareCloudKit
import JSON
import SQLite
import TestSupport
import Testing

/// O4: an operator looks where devices stand, and whether their pushes arrive.
@Suite struct DeviceListStory {
    @Test(
        "O4 `devices list` has each device with its place in the feed and the results of its pushes",
        arguments: StorySystem.Kind.available)
    func list(_ kind: StorySystem.Kind) async throws {
        let provider = try await StoryProvider.start()
        let system = try await StorySystem.start(kind, with: provider.settings)
        let (alice, bob) = (try await system.user("alice"), try await system.user("bob"))
        let (phone, tablet) = (try await alice.register("phone"), try await alice.register("tablet"))
        let laptop = try await bob.register("laptop")
        let (good, bad) = (String(repeating: "ab", count: 32), String(repeating: "cd", count: 32))
        for (device, token) in [(phone, good), (tablet, bad)] {
            _ = try await alice.client.device(
                "devices/push",
                ["deviceID": .string(device), "apns": ["token": .string(token), "environment": "development"]])
        }
        provider.answer("/3/device/\(bad)", 400, #"{"reason": "PayloadEmpty"}"#)
        try await alice.subscribe("s", to: "Note", in: .private)
        for name in ["one", "two", "three"] { try await alice.save([(name, ["n": 1])], type: "Note", in: .private) }
        _ = try await alice.feed(phone, atLeast: 3)
        _ = try await alice.feed(tablet, atLeast: 3)

        // Results of pushes come to the store by a command.
        try await eventually("the results of pushes") {
            let listed = try await devices(system)
            return listed[phone]?["push"]?[0]?["lastSuccess"]?.integer != nil
                && listed[tablet]?["push"]?[0]?["lastFailure"]?["reason"] == "PayloadEmpty"
        }
        let first = try await alice.changes(phone, limit: 1)
        try await comeBack(alice, phone, with: first.token, system)
        let listed = try await devices(system)
        #expect(Set(listed.keys) == [phone, tablet, laptop])
        #expect(listed[phone]?["userRecordName"]?.string == alice.record.rawValue)
        #expect(listed[laptop]?["userRecordName"]?.string == bob.record.rawValue)
        #expect(listed[phone]?["name"] == "phone" && listed[phone]?["epoch"]?.integer != nil)
        #expect(listed[phone]?["lastSeen"]?.integer ?? 0 >= listed[phone]?["registered"]?.integer ?? .max)
        #expect(
            listed[phone]?["token"]?["notificationsBehind"] == 2
                && listed[phone]?["token"]?["deviceID"]?.string == phone)
        #expect(listed[tablet]?["token"] == nil && listed[laptop]?["push"] == nil)
        #expect(listed[phone]?["push"]?[0]?["kind"] == "apns" && listed[phone]?["push"]?[0]?["contents"] == "full")

        let text = try await system.run(["devices", "list"] + system.storeFlags)
        #expect(text.code == 0 && !text.output.contains(good) && !text.output.contains(bad), "\(text)")
        let lines = text.output.split(separator: "\n").map(String.init)
        try #require(lines.count == 5, "\(text)")
        func line(_ device: String) throws -> Int {
            try #require(lines.firstIndex { $0.contains("  \(device)  epoch ") }, "\(text)")
        }
        let (own, others) = (try line(phone), try line(laptop))
        #expect(lines[own].hasPrefix("\(alice.record)  ") && lines[own].contains("  seen 20"))
        #expect(lines[own].contains(" entries behind, 2 of them notifications"), "\(lines[own])")
        #expect(lines[own + 1].hasPrefix("    apns since 20") && lines[own + 1].contains(", last taken 20"))
        #expect(lines[try line(tablet)].hasSuffix("has not come back with a token"))
        #expect(lines[try line(tablet) + 1].contains(": PayloadEmpty"))
        #expect(lines[others].hasPrefix("\(bob.record)  ") && lines[others].hasSuffix("has not come back with a token"))
        try await system.stop()
        await provider.stop()
    }

    /// The lines of `--json`, by device.
    private func devices(_ system: StorySystem) async throws -> [String: JSONValue] {
        let ended = try await system.run(["devices", "list", "--json"] + system.storeFlags)
        #expect(ended.code == 0, "\(ended)")
        let lines = try ended.output.split(separator: "\n").map { try JSONValue(parsing: Array($0.utf8)) }
        return Dictionary(uniqueKeysWithValues: lines.map { ($0["deviceID"]?.string ?? "", $0) })
    }

    /// Asks with a token after a minute of silence: that often it is noted.
    private func comeBack(_ user: StoryUser, _ device: String, with token: String, _ system: StorySystem) async throws {
        let store = try SQLiteConnection.open(
            SQLiteConfiguration(path: "\(system.folder.path("data"))/\(system.scope).sqlite"))
        try store.run("UPDATE devices SET registered = registered - 100000, last_seen = last_seen - 100000")
        try store.run("UPDATE device_heard SET time = time - 100000")
        _ = try await user.changes(device, after: token, limit: 1)
    }
}
