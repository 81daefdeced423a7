import CloudMessages
import CloudModel
import EventLog
import FanfareCloudKit
import Foundation
import JSON
import SQLite
import TestSupport
import Testing

/// O4: an operator asks why. `fanfare explain` says step by step why a change did or did not notify; `fanfare audit`
/// recomputes everything and lists every difference; `token inspect` and `devices list` say where a device stands.
@Suite struct AskingStory {
    @Test("O4 the operator gets the reason, on a running system", arguments: StorySystem.Kind.available)
    func asking(_ kind: StorySystem.Kind) async throws {
        let system = try await StorySystem.start(kind)
        let alice = try await system.user("alice")
        let phone = try await alice.register("phone")
        try await alice.subscribe(
            "large", to: "Task",
            filters: [["fieldName": "n", "comparator": "GREATER_THAN", "fieldValue": ["value": 5]]])
        try await alice.save([(name: "small", fields: ["n": 3])], type: "Task")
        try await alice.save([(name: "large", fields: ["n": 7])], type: "Task")
        // Another record of the public database may come first.
        _ = try await alice.feed(phone, atLeast: 1)
        try await alice.save([(name: "own", fields: ["n": 9])], type: "Task", from: phone)
        try await alice.save([(name: "last", fields: ["n": 10])], type: "Task")
        let feed = try await alice.feed(phone, atLeast: 2)
        #expect(feed.notes.map(\.record) == ["large", "last"])

        // The notification's ID names the change.
        try await eventually("stage 1's position behind the change") {
            let ended = try await system.run(
                ["explain", "--change", feed.notes[0].id, "--subscription", "large"] + flags(system))
            #expect(ended.code == 0, "\(ended)")
            return ended.output.contains("notified: in the journal, and \(phone)")
        }
        let number = try #require(
            try JSONValue(
                parsing: Array(
                    try await system.run(
                        ["explain", "--json", "--change", feed.notes[0].id, "--subscription", "large"] + flags(system)
                    ).output.utf8))["change"]?.integer)
        // The record before it was too small.
        let not = try await system.run(
            ["explain", "--change", "\(number - 1)", "--subscription", "large"] + flags(system))
        #expect(not.code == 0 && not.output.contains("n is greater than 5: the record has 3"), "\(not)")
        #expect(not.output.contains("not notified"), "\(not)")
        // The phone itself made the one after it.
        try await eventually("stage 1's position behind that one, in another partition") {
            let own = try await system.run(
                ["explain", "--change", "\(number + 1)", "--subscription", "large"] + flags(system))
            #expect(own.code == 0, "\(own)")
            return own.output.contains("made the change itself")
        }

        try await eventually("an audit without differences") {
            let audit = try await system.run(["audit"] + flags(system))
            #expect(audit.code == 0, "\(audit)")
            return audit.output.contains("no difference") && !audit.output.contains("on their way")
        }
        try await tokens(system, alice, phone)
        if kind.isEmbedded { try await findsRemovedEntries(system) }
        try await system.stop()
    }

    @Test("O4 the backfill of a subscription is explained, without a difference", arguments: StorySystem.Kind.available)
    func past(_ kind: StorySystem.Kind) async throws {
        let system = try await StorySystem.start(kind)
        let alice = try await system.user("alice")
        let phone = try await alice.register("phone")
        for number in 0..<3 { try await alice.save([(name: "r\(number)", fields: ["n": 1])], type: "Task") }
        try await alice.subscribe("plain", to: "Task", on: ["update"])
        let made = try await alice.modifySubscriptions([
            (
                "create",
                [
                    "subscriptionID": "late", "subscriptionType": "query", "query": ["recordType": "Task"],
                    "firesOn": ["create", "update"], "startingFrom": 0, "notificationInfo": ["alertBody": "changed"],
                ]
            )
        ])
        #expect(made[0]["startingFrom"] == 0)
        for number in 0..<3 { try await alice.save([(name: "r\(number)", fields: ["n": 2])], type: "Task") }
        let feed = try await alice.feed(phone, atLeast: 9)
        let first = try #require(feed.notes.first { $0.subscription == "late" })
        try await eventually("an explanation of the backfill") {
            let ended = try await system.run(
                ["explain", "--change", first.id, "--subscription", "late"] + flags(system))
            #expect(ended.code == 0, "\(ended)")
            return ended.output.contains("which its backfill covers")
                && ended.output.contains("notified: in the journal, and \(phone)")
        }
        try await eventually("an audit without differences") {
            let audit = try await system.run(["audit"] + flags(system))
            #expect(audit.code == 0, "\(audit)")
            return audit.output.contains("no difference") && !audit.output.contains("on their way")
        }
        try await system.stop()
    }

    /// Where a token stands, and which devices there are.
    private func tokens(_ system: StorySystem, _ alice: StoryUser, _ phone: String) async throws {
        let first = try await alice.changes(phone, limit: 1)
        let standing = try await system.run(["token", "inspect", "--json", first.token] + flags(system))
        let json = try JSONValue(parsing: Array(standing.output.utf8))
        #expect(json["deviceID"]?.string == phone && json["notificationsBehind"] == 1, "\(standing)")
        let forged = try await system.run(["token", "inspect", String(first.token.dropLast(6))] + flags(system))
        #expect(forged.code == 1)
        let list = try await system.run(["devices", "list"] + flags(system))
        #expect(list.code == 0 && list.output.contains(phone), "\(list)")
    }

    /// An entry that is taken out of a copy of the log is reported as missing.
    private func findsRemovedEntries(_ system: StorySystem) async throws {
        _ = await system.processes["dev"]?.terminate()
        let copy = system.folder.path("copy")
        try FileManager.default.copyItem(atPath: system.folder.path("data"), toPath: copy)
        let configuration = SQLiteConfiguration(path: "\(copy)/log.sqlite")
        let layout = TopicLayout(system.scope)
        let connection = try SQLiteConnection.open(configuration)
        // The second notification of the journal that devices read.
        try connection.run(
            """
            DELETE FROM entries WHERE id IN (
                SELECT entries.id FROM entries JOIN partitions ON entries.id >> 40 = partitions.id
                JOIN topics ON topic = topics.id
                WHERE name = ? AND instr(headers, CAST('notification' AS BLOB)) > 0
                ORDER BY entries.id LIMIT 1 OFFSET 1)
            """, .text(layout.journals.rawValue))
        let place = ["--data", copy, "--container", system.scope.container.rawValue]
        let audit = try await system.run(["audit"] + place)
        #expect(audit.code == 3, "\(audit)")
        #expect(audit.output.contains("lost: change") && audit.output.contains("explain: LOST"), "\(audit)")
        let json = try await system.run(["audit", "--json"] + place)
        let lines = try json.output.split(separator: "\n").map { try JSONValue(parsing: Array($0.utf8)) }
        #expect(lines.first?["kind"] == "lost" && lines.last?["differences"] == 1, "\(json)")
        // The folder itself is as it was.
        let untouched = try await system.run(["audit"] + flags(system))
        #expect(untouched.code == 0, "\(untouched)")
    }

    private func flags(_ system: StorySystem) -> [String] { system.storeFlags }
}
