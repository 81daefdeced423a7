import CloudModel
import FanfareCloudKit
import JSON
import TestSupport
import Testing

/// Story S1: what a subscription may ask of records and of their changes, over HTTP, on the embedded log and on Kafka.
@Suite struct PredicateStories {
    static let kinds = StorySystem.Kind.available

    /// A subscription with a predicate string.
    private func subscription(
        _ id: String, to type: String, _ predicate: String? = nil, _ arguments: JSONValue? = nil,
        on events: [String] = ["create"], changedKeys: [String] = [], info: JSONValue = ["alertBody": "changed"]
    ) -> (kind: String, subscription: JSONValue) {
        var query: JSONObject = ["recordType": .string(type)]
        if let predicate { query["predicate"] = .string(predicate) }
        query["predicateArguments"] = arguments
        var subscription: JSONObject = [
            "subscriptionID": .string(id), "subscriptionType": "query", "query": .object(query),
            "firesOn": .array(events.map { .string($0) }), "notificationInfo": info,
        ]
        if !changedKeys.isEmpty { subscription["changedKeys"] = .array(changedKeys.map { .string($0) }) }
        return ("create", .object(subscription))
    }

    private func subscribe(_ user: StoryUser, _ operations: [(kind: String, subscription: JSONValue)]) async throws {
        for item in try await user.modifySubscriptions(operations) {
            #expect(item["serverErrorCode"] == nil, "\(item)")
        }
    }

    /// The reasons, by subscription and record, in the order in which they came.
    private func reasons(_ notes: [StoryUser.Note]) -> [String: [String]] {
        notes.reduce(into: [:]) { reasons, note in
            reasons["\(note.subscription ?? "") \(note.record ?? "")", default: []].append(note.reason ?? "")
        }
    }

    /// Predicates with their arguments, and the records of `chores` that satisfy them.
    private static let predicates: [(id: String, text: String, arguments: JSONValue?, records: String)] = [
        ("and", "priority == %@ AND isComplete == 0", ["high"], "a"),
        ("or", "priority == 'low' OR %K > %@", ["effort", 5], "bcd"),
        ("in", "priority IN %@", [["low", "high"]], "abc"),
        ("begins", "title BEGINSWITH %@", ["Write"], "ae"),
        ("begins-c", "title BEGINSWITH[c] 'write'", nil, "abe"),
        ("not", "NOT (priority == 'high')", nil, "cde"),
        ("between", "effort BETWEEN {1, 6} && title CONTAINS 'rite'", nil, "ad"),
        ("due", "due < %@", [["value": 1_000, "type": "TIMESTAMP"]], "c"),
    ]

    private static let chores: [(name: String, fields: JSONObject)] = [
        ("a", ["priority": "high", "isComplete": 0, "effort": 1, "title": "Write tests"]),
        ("b", ["priority": "high", "isComplete": 1, "effort": 9, "title": "write docs"]),
        ("c", ["priority": "low", "isComplete": 0, "effort": 1, "title": "Read", "due": 999]),
        ("d", ["priority": "medium", "isComplete": 0, "effort": 6, "title": "Rewrite"]),
        ("e", ["isComplete": 0, "title": "Writers", "due": 1_000]),
    ]

    @Test("S1 predicate strings with arguments, OR, IN, BEGINSWITH and NOT find what they say", arguments: kinds)
    func predicates(_ kind: StorySystem.Kind) async throws {
        let alice = try await StorySystem.shared(kind).user("alice")
        let phone = try await alice.register("phone")
        // The dates are dates before the first chore makes numbers of them.
        try await alice.save(
            "first-chore",
            typed: [
                "due": ["value": 0, "type": "TIMESTAMP"], "fence": ["value": 0], "priority": ["value": ""],
                "isComplete": ["value": 2], "effort": ["value": 0], "title": ["value": ""],
            ], type: "Chore")
        try await subscribe(
            alice, Self.predicates.map { subscription($0.id, to: "Chore", $0.text, $0.arguments) })
        try await alice.subscribeToFence("Chore")
        try await alice.save(Self.chores, type: "Chore")
        let notes = try await alice.settled(Self.chores.map(\.name), of: "Chore", on: phone)
        for predicate in Self.predicates {
            let found = notes.filter { $0.subscription == predicate.id }.compactMap(\.record).sorted()
            #expect(found == predicate.records.map { String($0) }, "\(predicate.text)")
        }
        // Subscriptions are listed as they were written.
        let listed = try await alice.client.get("database", "public/subscriptions/list")
        let and = try #require(listed["subscriptions"]?.array?.first { $0["subscriptionID"] == "and" })
        #expect(and["query"]?["predicate"]?.string == Self.predicates[0].text)
        #expect(and["query"]?["predicateArguments"] == Self.predicates[0].arguments)
    }

    @Test("S1 changedKeys let an update fire only if one of these fields changed", arguments: kinds)
    func changedKeys(_ kind: StorySystem.Kind) async throws {
        let alice = try await StorySystem.shared(kind).user("alice")
        let phone = try await alice.register("phone")
        try await subscribe(
            alice,
            [
                subscription(
                    "status", to: "Ticket", on: ["update"], changedKeys: ["status", "owner"],
                    info: ["additionalFields": ["step"]]),
                subscription(
                    "open", to: "Ticket", "status == 'open'", on: ["create", "update"],
                    changedKeys: ["status"], info: ["additionalFields": ["step"]]),
            ])
        try await alice.subscribeToFence("Ticket")
        let steps: [JSONObject] = [
            ["status": "open", "note": "a"], ["note": "b"], ["status": "closed"], ["status": "closed", "note": "c"],
            ["owner": "bob"], ["status": "open", "owner": "bob"], ["note": "d"], ["owner": "eve", "note": "e"],
        ]
        for (index, step) in steps.enumerated() {
            var fields = step
            fields["step"] = .integer(Int64(index))
            try await alice.save([("t", fields)], type: "Ticket")
        }
        let notes = try await alice.settled(["t"], of: "Ticket", on: phone)
        let fired = { (id: String) in
            try notes.filter { $0.subscription == id }.map { note in
                let fields = try JSONValue(parsing: Array((note.fields ?? "").utf8))
                return "\(note.reason ?? "") \(fields["step"]?["value"]?.integer ?? -1)"
            }
        }
        #expect(try fired("status") == [2, 4, 5, 7].map { "recordUpdated \($0)" })
        #expect(try fired("open") == ["recordCreated 0", "recordUpdated 5"])
    }

    @Test(
        "S1 a record that begins or ceases to match fires enter and leave, beside update and delete", arguments: kinds)
    func enteringAndLeaving(_ kind: StorySystem.Kind) async throws {
        let alice = try await StorySystem.shared(kind).user("alice")
        let phone = try await alice.register("phone")
        let events = [
            ("enter", ["enter"]), ("leave", ["leave"]), ("both", ["enter", "leave"]), ("update", ["update"]),
            ("delete", ["delete"]), ("all", ["create", "update", "delete", "enter", "leave"]),
        ]
        try await subscribe(alice, events.map { subscription($0, to: "Door", "state == 'open'", on: $1) })
        try await alice.subscribeToFence("Door")
        try await alice.save([("front", ["state": "closed"]), ("cellar", ["state": "closed"])], type: "Door")
        try await alice.save([("front", ["state": "open"]), ("attic", ["state": "open"])], type: "Door")
        try await alice.save([("front", ["note": "still open"])], type: "Door")
        try await alice.save([("front", ["state": "closed"])], type: "Door")
        try await alice.save([("front", ["note": "still closed"])], type: "Door")
        try await alice.save([("front", ["state": "open"])], type: "Door")
        try await alice.delete(["front", "cellar"])
        let notes = try await alice.settled(["front", "cellar", "attic"], of: "Door", on: phone)
        let (created, updated, deleted) = ("recordCreated", "recordUpdated", "recordDeleted")
        #expect(
            reasons(notes) == [
                "enter front": [updated, updated], "leave front": [updated, deleted],
                "both front": [updated, updated, updated, deleted], "update front": [updated, updated, updated],
                "delete front": [deleted],
                // One change fires a subscription once, however many of its events it meets.
                "all front": [updated, updated, updated, updated, deleted],
                "enter attic": [created], "both attic": [created],
                // The fence is an update, too, of a door that is open.
                "update attic": [updated], "all attic": [created, updated],
            ])
    }
}
