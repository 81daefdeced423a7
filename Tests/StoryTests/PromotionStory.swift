import CloudModel
import FanfareCloudKit
import Foundation
import JSON
import TestSupport
import Testing

/// Stories S4 and R3: what production takes, with the commands of an operator, on the embedded log and on Kafka.
@Suite(.serialized) struct PromotionStory {
    @Test(
        "S4 production refuses a condition that was not made in development and promoted, and takes it then",
        arguments: StorySystem.Kind.available)
    func promoting(_ kind: StorySystem.Kind) async throws {
        let system = try await StorySystem.shared(kind)
        let developer = try await system.user("developer")
        let alice = try await system.userInProduction("alice")
        let phone = try await alice.register("phone")
        func subscription(_ id: String, _ predicate: String, on event: String = "create") -> (String, JSONValue) {
            (
                "create",
                [
                    "subscriptionID": .string(id), "subscriptionType": "query",
                    "query": ["recordType": "Promoted", "predicate": .string(predicate)],
                    "firesOn": [.string(event)], "notificationInfo": ["alertBody": "promoted"],
                ]
            )
        }
        func refused(_ operation: (String, JSONValue), _ words: String...) async throws {
            let item = try await alice.modifySubscriptions([operation])[0]
            #expect(item["serverErrorCode"] == "BAD_REQUEST", "\(item)")
            for word in words { #expect(item["reason"]?.string?.contains(word) == true, "\(item)") }
        }
        // A record saved in development does not exist in production.
        try await developer.save([("promoted-1", ["n": 1, "title": "x"])], type: "Promoted")
        try await refused(subscription("s", "n > 1"), "production does not know the record type Promoted")
        try await promote(system)
        try await refused(
            subscription("s", "n > 1"), "production does not know a subscription on Promoted",
            "create one in development and promote the schema")
        let made = try await developer.modifySubscriptions([subscription("dev", "n > 7")])
        #expect(made[0]["serverErrorCode"] == nil, "\(made)")
        try await refused(subscription("s", "n > 1"), "promote the schema")
        try await promote(system)
        // The values may be others, all else may not.
        try await refused(subscription("t", "n < 1"), "promote the schema")
        try await refused(subscription("t", "n > 1", on: "update"), "promote the schema")
        try await refused(subscription("t", "unknown > 1"), "no field 'unknown'")
        let taken = try await alice.modifySubscriptions([subscription("s", "n > 1")])
        #expect(taken[0]["serverErrorCode"] == nil, "\(taken)")
        try await alice.save([("promoted-1", ["n": 1]), ("promoted-2", ["n": 2])], type: "Promoted")
        // Saves of development are not production's.
        try await developer.save([("promoted-3", ["n": 3])], type: "Promoted")
        let notes = try await alice.feed(phone, atLeast: 1).notes
        #expect(notes.map(\.record) == ["promoted-2"] && notes.map(\.alert) == ["promoted"])
    }

    @Test("a schema is exported, imported elsewhere, and imported again without a change")
    func importing() async throws {
        let system = try await StorySystem.shared(.embedded)
        let developer = try await system.user("exporter")
        try await developer.save([("exported-1", ["n": 1, "title": "x"])], type: "Exported")
        let (_, text, _) = try await system.run(["schema", "export"] + system.storeFlags)
        #expect(text.contains("RECORD TYPE Exported"), "\(text)")
        let file = system.folder.path("exported.ckdb")
        try Data(text.utf8).write(to: URL(fileURLWithPath: file))
        let same = try await system.run(["schema", "import", file] + system.storeFlags)
        #expect(same.code == 0 && same.output.contains("already"), "\(same)")
        try Data(text.replacing("RECORD TYPE Exported", with: "RECORD TYPE Imported").utf8)
            .write(to: URL(fileURLWithPath: file))
        let shown = try await system.run(["schema", "import", file] + system.storeFlags)
        #expect(shown.code == 3 && shown.output.contains("+ record type Imported"), "\(shown)")
        let applied = try await system.run(["schema", "import", file, "--apply"] + system.storeFlags)
        #expect(applied.code == 0 && applied.output.contains("knows it now"), "\(applied)")
        let named = try await system.run(["schema", "promote", "Imported.n", "--apply"] + system.storeFlags)
        // Another story may have promoted everything meanwhile.
        let words = named.output.contains("+ Imported.n INT64") || named.output.contains("already")
        #expect(named.code == 0 && !named.output.contains("title") && words, "\(named)")
    }

    @Test("a schema is promoted through a file, without development's store, and with rights that nobody has")
    func promotingByFile() async throws {
        let system = try await StorySystem.shared(.embedded)
        let developer = try await system.user("by-file")
        try await developer.save([("filed-1", ["n": 1, "title": "x"])], type: "Filed")
        try await developer.save([("sealed-1", ["n": 1])], type: "Closed")
        for right in ["READ", "CREATE", "WRITE"] {
            for role in ["_world", "_icloud", "_creator"] {
                let revoked = try await system.run(
                    ["schema", "grant", "--type", "Closed", "--right", right, "--role", role, "--revoke"]
                        + system.storeFlags)
                #expect(revoked.code == 0, "\(revoked)")
            }
        }
        let file = system.folder.path("promoted.ckdb")
        let text = try await system.run(["schema", "export"] + system.storeFlags).output
        try Data(text.utf8).write(to: URL(fileURLWithPath: file))
        // A folder with production's store alone, as where environments share nothing.
        let scope = "\(system.scope.container).production.sqlite"
        let folder = system.folder.path("production")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let copied = try await system.run(
            ["schema", "export", "--environment", "production"] + system.storeFlags)
        #expect(copied.code == 0)
        for suffix in ["", "-wal", "-shm"]
        where FileManager.default.fileExists(atPath: system.folder.path("data/\(scope)\(suffix)")) {
            try FileManager.default.copyItem(
                atPath: system.folder.path("data/\(scope)\(suffix)"), toPath: "\(folder)/\(scope)\(suffix)")
        }
        let flags = ["--data", folder, "--container", system.scope.container.rawValue]
        let without = try await system.run(["schema", "promote"] + flags)
        #expect(without.code == 2 && without.complaints.contains("--from"), "\(without)")
        let shown = try await system.run(["schema", "promote", "Filed.n", "Closed", "--from", file] + flags)
        #expect(shown.code == 3 && shown.output.contains("+ Filed.n INT64"), "\(shown)")
        #expect(!shown.output.contains("Filed.title"), "\(shown)")
        let applied = try await system.run(["schema", "promote", "--from", file, "--apply"] + flags)
        #expect(applied.code == 0 && applied.output.contains("production knows it now"), "\(applied)")
        let again = try await system.run(["schema", "export", "--environment", "production"] + flags).output
        #expect(again.contains("RECORD TYPE Filed") && again.contains("-- NO RIGHTS ON Closed"), "\(again)")
        let unknown = try await system.run(["schema", "promote", "Nothing", "--from", file] + flags)
        #expect(unknown.code == 1, "\(unknown)")
    }

    private func promote(_ system: StorySystem) async throws {
        let (code, output, complaints) = try await system.run(["schema", "promote", "--apply"] + system.storeFlags)
        #expect(code == 0, "\(output) \(complaints)")
        #expect(output.contains("Promoted"), "\(output)")
    }
}
