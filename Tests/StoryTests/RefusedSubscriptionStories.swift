import CloudModel
import FanfareCloudKit
import JSON
import TestSupport
import Testing

/// Story S4, over HTTP, on the embedded log and on Kafka.
@Suite struct RefusedSubscriptionStories {
    static let kinds = StorySystem.Kind.available

    /// A subscription that is refused: the faults of `whole`, and the required reason.
    struct Refusal: Sendable {
        var database = DatabaseScope.public
        var subscription: JSONObject
        var says: [String]

        init(_ says: String..., in database: DatabaseScope = .public, but wrong: JSONObject) {
            self.says = says
            self.database = database
            subscription = wrong
        }
    }

    private static func query(_ filter: JSONObject) -> JSONObject {
        ["query": ["recordType": "Sample", "filterBy": [.object(filter)]]]
    }

    private static func predicate(_ text: String, _ arguments: JSONValue? = nil) -> JSONObject {
        var query: JSONObject = ["recordType": "Sample", "predicate": .string(text)]
        query["predicateArguments"] = arguments
        return ["query": .object(query)]
    }

    /// Members that replace those of a valid subscription; null removes one.
    private static let refusals: [Refusal] = [
        Refusal("needs notificationInfo", "an empty object will do", but: ["notificationInfo": .null]),
        Refusal("query subscriptions", "shared database", "a database subscription watches it", in: .shared, but: [:]),
        Refusal(
            "zone subscriptions", "private database only",
            but: [
                "subscriptionType": "zone", "zoneID": ["zoneName": "z"], "query": .null, "firesOn": .null,
            ]),
        Refusal(
            "zone subscriptions", "private database only", in: .shared,
            but: [
                "subscriptionType": "zone", "zoneID": ["zoneName": "z"], "query": .null, "firesOn": .null,
            ]),
        Refusal(
            "database subscriptions", "public database", "a query subscription watches it",
            but: ["subscriptionType": "database", "query": .null, "firesOn": .null]),
        Refusal(
            "custom zones", in: .private,
            but: [
                "subscriptionType": "zone", "zoneID": ["zoneName": "_defaultZone"], "query": .null, "firesOn": .null,
            ]),
        Refusal("firesOn needs at least one of create, update, delete", but: ["firesOn": []]),
        Refusal(
            "Field 'data' is not marked queryable",
            but: query(["fieldName": "data", "comparator": "EQUALS", "fieldValue": ["value": "AAAA", "type": "BYTES"]])),
        Refusal(
            "Field 'data' is not marked queryable",
            but: query(["fieldName": "data", "comparator": "EQUALS", "fieldValue": ["value": "AAAA"]])),
        Refusal("'data'", "BYTES cannot be compared", but: predicate("data == %@", ["AAAA"])),
        Refusal(
            "is 'LIKE'", "known comparators are EQUALS",
            but: query(["fieldName": "title", "comparator": "LIKE", "fieldValue": ["value": "x"]])),
        Refusal("column 7", "MATCHES is not supported: use LIKE", but: predicate("title MATCHES 'x.*'")),
        Refusal("a subscription", "now", but: predicate("modificationDate > now()")),
        Refusal("no field 'colour'", but: predicate("colour == 'red'")),
        Refusal("the field 'title' is STRING", but: predicate("title == 1")),
        Refusal("4 fields; at most 3", but: ["notificationInfo": ["desiredKeys": ["a", "b", "c", "d"]]]),
        Refusal(
            "additional field 'data' is BYTES", "strings, numbers, dates",
            but: ["notificationInfo": ["desiredKeys": ["data"]]]),
    ]

    @Test(
        "S4 each is refused for itself, with CloudKit's code and what to do; a valid one beside them works",
        arguments: kinds)
    func refusing(_ kind: StorySystem.Kind) async throws {
        let alice = try await StorySystem.shared(kind).user("alice")
        let phone = try await alice.register("phone")
        try await alice.save(
            "first-sample",
            typed: ["data": ["value": "AAAA", "type": "BYTES"], "title": ["value": "first"]], type: "Sample")
        for database in [DatabaseScope.public, .private, .shared] {
            let refusals = Self.refusals.filter { $0.database == database }
            var operations: [(kind: String, subscription: JSONValue)] = refusals.enumerated().map { index, refusal in
                ("create", valid("refused-\(index)", refusal.subscription))
            }
            // A valid one stands last.
            let last: JSONObject =
                database == .shared ? ["subscriptionType": "database", "query": .null, "firesOn": .null] : [:]
            operations.append(("create", valid("valid", last)))
            let items = try await alice.modifySubscriptions(operations, in: database)
            for (index, refusal) in refusals.enumerated() {
                let item = items[index]
                #expect(item["serverErrorCode"] == "BAD_REQUEST", "\(refusal): \(item)")
                #expect(item["subscriptionID"]?.string == "refused-\(index)")
                let reason = item["reason"]?.string ?? ""
                for words in refusal.says { #expect(reason.contains(words), "'\(reason)' lacks '\(words)'") }
            }
            #expect(items.last?["serverErrorCode"] == nil, "\(items)")
            #expect(try await alice.subscriptions(in: database) == ["valid"])
        }
        try await alice.save([("sample", ["title": "second"])], type: "Sample")
        #expect(try await alice.feed(phone, atLeast: 1).notes.map(\.record) == ["sample"])
    }

    private func valid(_ id: String, _ changes: JSONObject) -> JSONValue {
        var subscription: JSONObject = [
            "subscriptionID": .string(id), "subscriptionType": "query", "query": ["recordType": "Sample"],
            "firesOn": ["create"], "notificationInfo": ["alertBody": "x"],
        ]
        for (key, value) in changes { subscription[key] = value.isNull ? nil : value }
        return .object(subscription)
    }

    @Test("S4 one over the limit is refused until another is deleted", arguments: kinds)
    func limit(_ kind: StorySystem.Kind) async throws {
        let alice = try await StorySystem.shared(kind).user("alice")
        let phone = try await alice.register("phone")
        func subscription(_ number: Int) -> JSONValue {
            [
                "subscriptionID": .string("s\(number)"), "subscriptionType": "query", "firesOn": ["create"],
                "query": [
                    "recordType": "Limit", "predicate": "n == %@", "predicateArguments": [.integer(Int64(number))],
                ],
                "notificationInfo": [:],
            ]
        }
        let limit = Limits.subscriptionsDefaultMax
        for start in stride(from: 0, to: limit, by: Limits.operationsMax) {
            let items = try await alice.modifySubscriptions(
                (start..<start + Limits.operationsMax).map { ("create", subscription($0)) })
            #expect(items.allSatisfy { $0["serverErrorCode"] == nil })
        }
        let items = try await alice.modifySubscriptions([
            ("create", subscription(limit)), ("create", subscription(0)), ("delete", ["subscriptionID": "s1"]),
            ("create", subscription(limit + 1)), ("create", subscription(limit + 2)),
        ])
        let codes = items.map { $0["serverErrorCode"]?.string }
        #expect(codes == ["QUOTA_EXCEEDED", nil, nil, nil, "QUOTA_EXCEEDED"])
        #expect(items[0]["reason"]?.string?.contains("at most \(limit) subscriptions") == true, "\(items[0])")
        #expect(items[0]["reason"]?.string?.contains("delete some first") == true)
        // Another database and another request over all have their own limits.
        let others = try await alice.modifySubscriptions([("create", subscription(limit))], in: .private)
        #expect(others[0]["serverErrorCode"] == nil)
        let many = JSONValue.array(
            (0...Limits.operationsMax).map { ["operationType": "create", "subscription": subscription($0)] })
        await #expect {
            try await alice.client.database(.public, "subscriptions/modify", ["operations": many])
        } throws: {
            "\($0)".contains("QUOTA_EXCEEDED")
        }
        #expect(try await alice.subscriptions().count == limit)
        try await alice.save(
            [0, 1, limit, limit + 1].map { ("limit\($0)", ["n": .integer(Int64($0))]) }, type: "Limit")
        let notes = try await alice.feed(phone, atLeast: 2).notes
        #expect(Set(notes.map(\.subscription)) == ["s0", "s\(limit + 1)"])
    }
}
