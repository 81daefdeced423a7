import CloudModel
import JSON
import Testing

/// Each member of each body: wrong kinds, missing ones, values out of range. What concerns the whole request is a 400;
/// the server says where, and goes on.
@Suite struct DecodingTests {
    /// A member, and the kinds of JSON that it may be.
    struct Member: Sendable, CustomTestStringConvertible {
        var endpoint: String
        var place: String
        var kinds: Set<String>
        var isRequired = false

        var testDescription: String { "\(endpoint) \(place)" }
    }

    private static func member(_ endpoint: String, _ place: String, _ kinds: Set<String>, required: Bool = false)
        -> Member
    {
        Member(endpoint: endpoint, place: place, kinds: kinds, isRequired: required)
    }

    private static let record = "operations[0].record"
    private static let subscription = "operations[0].subscription"
    private static let filter = "operations[0].subscription.query.filterBy[0]"

    static let members: [Member] = [
        member("records/modify", "operations", ["array"], required: true),
        member("records/modify", "operations[0]", ["object"]),
        member("records/modify", "operations[0].operationType", ["string"], required: true),
        member("records/modify", record, ["object"], required: true),
        member("records/modify", "\(record).recordName", ["string", "null"]),
        member("records/modify", "\(record).recordType", ["string"]),
        member("records/modify", "\(record).recordChangeTag", ["string", "null"]),
        member("records/modify", "\(record).fields", ["object", "null"]),
        member("records/modify", "\(record).fields.n", ["object"]),
        member("records/modify", "\(record).fields.n.type", ["string", "null"]),
        member("records/modify", "\(record).fields.n.value", ["integer", "null"]),
        // Without a type, one is inferred from the typed ones.
        member("records/modify", "\(record).fields.s.value", ["string", "integer", "double", "array", "null"]),
        member("records/modify", "\(record).fields.d.value", ["integer", "double", "null"]),
        member("records/modify", "\(record).fields.t.value", ["integer", "double", "null"]),
        member("records/modify", "\(record).fields.l.value", ["array", "null"]),
        member("records/modify", "\(record).fields.l.value[0]", ["string"]),
        member("records/modify", "\(record).fields.f.value", ["object", "null"]),
        member("records/modify", "\(record).fields.f.value.recordName", ["string"], required: true),
        member("records/modify", "\(record).fields.f.value.action", ["string", "null"]),
        member("records/modify", "\(record).fields.f.value.zoneID", ["object", "null"]),
        member("records/modify", "\(record).fields.f.value.zoneID.zoneName", ["string"], required: true),
        member("records/modify", "zoneID", ["object", "null"]),
        member("records/modify", "zoneID.zoneName", ["string"], required: true),
        member("records/lookup", "records", ["array"], required: true),
        member("records/lookup", "records[0]", ["object"]),
        member("records/lookup", "records[0].recordName", ["string"], required: true),
        member("records/lookup", "zoneID", ["object", "null"]),
        member("zones/modify", "operations", ["array"], required: true),
        member("zones/modify", "operations[0].operationType", ["string"], required: true),
        member("zones/modify", "operations[0].zone", ["object"], required: true),
        member("zones/modify", "operations[0].zone.zoneID", ["object"], required: true),
        member("zones/modify", "operations[0].zone.zoneID.zoneName", ["string"], required: true),
        member("zones/lookup", "zones", ["array"], required: true),
        member("zones/lookup", "zones[0]", ["object"]),
        member("zones/lookup", "zones[0].zoneName", ["string"], required: true),
        member("zones/changes", "metaSyncToken", ["string", "null"]),
        member("zones/changes", "resultsLimit", ["integer", "null"]),
        member("changes/database", "syncToken", ["string", "null"]),
        member("changes/database", "resultsLimit", ["integer", "null"]),
        member("changes/zone", "zones", ["array"], required: true),
        member("changes/zone", "zones[0]", ["object"]),
        member("changes/zone", "zones[0].zoneID", ["object"], required: true),
        member("changes/zone", "zones[0].syncToken", ["string", "null"]),
        member("changes/zone", "zones[0].resultsLimit", ["integer", "null"]),
        member("changes/zone", "zones[0].reverse", ["boolean", "null"]),
        member("changes/zone", "zones[0].desiredKeys", ["array", "null"]),
        member("changes/zone", "zones[0].desiredRecordTypes", ["array", "null"]),
        member("changes/zone", "zones[0].numbersAsStrings", ["boolean", "null"]),
        member("subscriptions/modify", "operations", ["array"], required: true),
        member("subscriptions/modify", "operations[0]", ["object"]),
        member("subscriptions/modify", "operations[0].operationType", ["string"], required: true),
        member("subscriptions/modify", subscription, ["object"], required: true),
        member("subscriptions/modify", "\(subscription).subscriptionID", ["string", "null"]),
        member("subscriptions/modify", "\(subscription).subscriptionType", ["string"], required: true),
        member("subscriptions/modify", "\(subscription).zoneID", ["object", "null"]),
        member("subscriptions/modify", "\(subscription).zoneID.zoneName", ["string"], required: true),
        member("subscriptions/modify", "\(subscription).zoneWide", ["boolean", "null"]),
        member("subscriptions/modify", "\(subscription).query", ["object"], required: true),
        member("subscriptions/modify", "\(subscription).query.recordType", ["string"], required: true),
        member("subscriptions/modify", "\(subscription).query.filterBy", ["array", "null"]),
        member("subscriptions/modify", filter, ["object"]),
        member("subscriptions/modify", "\(filter).comparator", ["string"], required: true),
        member("subscriptions/modify", "\(filter).fieldName", ["string"], required: true),
        member("subscriptions/modify", "\(filter).fieldValue", ["object"], required: true),
        member("subscriptions/modify", "\(filter).fieldValue.value", ["integer"], required: true),
        member("subscriptions/modify", "\(filter).fieldValue.type", ["string", "null"]),
        member("subscriptions/modify", "\(subscription).query.filterBy[1].fieldValue.value", ["array"], required: true),
        member("subscriptions/modify", "\(subscription).query.filterBy[1].fieldValue.type", ["string"], required: true),
        member("subscriptions/modify", "\(subscription).query.filterBy[1].systemFieldName", ["string"]),
        member("subscriptions/modify", "\(subscription).firesOn", ["array"]),
        member("subscriptions/modify", "\(subscription).firesOn[0]", ["string"]),
        member("subscriptions/modify", "\(subscription).firesOnce", ["boolean", "null"]),
        member("subscriptions/modify", "\(subscription).notificationInfo", ["object"]),
        member("subscriptions/modify", "\(subscription).notificationInfo.alertBody", ["string", "null"]),
        member("subscriptions/modify", "\(subscription).notificationInfo.additionalFields", ["array", "null"]),
        member("subscriptions/modify", "\(subscription).notificationInfo.additionalFields[0]", ["string"]),
        member("subscriptions/modify", "\(subscription).notificationInfo.shouldBadge", ["boolean", "null"]),
        member("subscriptions/lookup", "subscriptions", ["array"], required: true),
        member("subscriptions/lookup", "subscriptions[0]", ["object"]),
        member("subscriptions/lookup", "subscriptions[0].subscriptionID", ["string"], required: true),
        member("devices/register", "deviceID", ["string", "null"]),
        member("devices/register", "name", ["string", "null"]),
        member("devices/register", "platform", ["string", "null"]),
        member("devices/unregister", "deviceID", ["string"], required: true),
        member("devices/push", "deviceID", ["string"], required: true),
        member("devices/push", "webhook", ["object"], required: true),
        member("devices/push", "webhook.url", ["string"], required: true),
        member("devices/push", "webhook.secret", ["string", "null"]),
        member("devices/push", "contents", ["string", "null"]),
        member("devices/push", "silent", ["boolean", "null"]),
        member("devices/policies", "deviceID", ["string"], required: true),
        member("devices/policies", "clock", ["array", "null"]),
        member("devices/policies", "deliveryPolicy", ["object", "null"]),
        member("devices/policies", "subscriptions", ["array", "null"]),
        member("devices/push/remove", "deviceID", ["string"], required: true),
        member("devices/push/remove", "kind", ["string"], required: true),
        member("notifications/changes", "deviceID", ["string"], required: true),
        member("notifications/changes", "serverChangeToken", ["string", "null"]),
        member("notifications/changes", "resultsLimit", ["integer", "null"]),
        member("notifications/changes", "waitSeconds", ["integer", "null"]),
        member("notifications/changes", "shouldFetchPushPayload", ["boolean", "null"]),
        member("notifications/markRead", "deviceID", ["string"], required: true),
        member("notifications/markRead", "notificationIDs", ["array"], required: true),
        member("notifications/markRead", "notificationIDs[0]", ["string"]),
        member("badge/modify", "deviceID", ["string"], required: true),
        member("badge/modify", "badgeValue", ["integer"], required: true),
        member("signin", "user", ["string"], required: true),
    ]

    private static let examples: [(kind: String, value: JSONValue)] = [
        ("null", nil), ("boolean", true), ("integer", 7), ("double", 1.5), ("string", "text"), ("array", ["text"]),
        ("object", ["text": 1]),
    ]

    @Test func everyMemberOfTheWrongKindIsABadRequest() async throws {
        try await WebBench.run { bench in
            let alice = try await bench.signIn("alice")
            try await bench.register("phone", alice)
            for member in Self.members {
                let endpoint = try #require(Endpoint.posts.first { $0.path == member.endpoint })
                let place = Place(member.place)
                for (kind, value) in Self.examples where !member.kinds.contains(kind) {
                    let body = place.set(value, in: endpoint.body!)
                    let answer = try await bench.send("POST", endpoint.address(bench), body, user: alice)
                    // A required member that is null, or whose absence only the use case minds, may be refused per
                    // item.
                    if kind == "null", answer.json["records"]?[0]?["serverErrorCode"]?.string == "BAD_REQUEST" {
                        continue
                    }
                    expectRefusal(answer, "\(member.testDescription) as \(kind): \(answer.status) \(answer.json)")
                }
            }
        }
    }

    @Test func everyRequiredMemberIsMissed() async throws {
        try await WebBench.run { bench in
            let alice = try await bench.signIn("alice")
            try await bench.register("phone", alice)
            for member in Self.members where member.isRequired {
                let endpoint = try #require(Endpoint.posts.first { $0.path == member.endpoint })
                let body = Place(member.place).set(nil, in: endpoint.body!)
                let answer = try await bench.send("POST", endpoint.address(bench), body, user: alice)
                expectRefusal(answer, "\(member.testDescription): \(answer.json)")
                let name = member.place.split(separator: ".").last!.prefix { $0 != "[" }
                let reason = answer.json["reason"] ?? answer.json["subscriptions"]?[0]?["reason"]
                #expect(reason?.string?.contains(name) == true, "\(member.testDescription): \(answer.json)")
            }
        }
    }

    /// Values that are of the right kind and wrong all the same.
    @Test(
        arguments: [
            (
                "records/modify", "operations[0].operationType",
                ["replaces", "Create", "", "forceDELETE"] as [JSONValue]
            ),
            ("records/modify", "operations[0].record.recordName", ["_x", "", "ä", "a\u{0}"]),
            ("records/modify", "operations[0].record.recordType", ["1a", "", "a-b"]),
            (
                "records/modify", "operations[0].record.fields.n.type",
                ["BYTES", "int64", "", "LIST", "EMPTY_LIST", "_LIST"]
            ),
            // Booleans are no INT64, nor are fractions; numbers stay in range.
            ("records/modify", "operations[0].record.fields.n.value", [true, 1.5, "1", 9_223_372_036_854_775_808.0]),
            ("records/modify", "operations[0].record.fields.t.value", [1e300, "5", false]),
            ("records/modify", "operations[0].record.fields.d.value", ["0.5", true]),
            ("records/modify", "operations[0].record.fields.l.value", [[1], ["x", 1], [nil], [["x"]]]),
            ("records/modify", "operations[0].record.fields.f.value.action", ["none", "DELETESELF", ""]),
            ("records/modify", "operations[0].record.fields.f.value.recordName", ["_x", ""]),
            (
                "records/modify", "operations[0].record.fields",
                [["1a": ["value": 1]], ["a b": ["value": 1]], ["": ["value": 1]]]
            ),
            (
                "records/modify", "operations[0].record.fields.s",
                [["value": true], ["value": [true]], ["value": "x", "type": "LIST"]]
            ),
            ("records/lookup", "records[0].recordName", ["_x", "", "ä"]),
            ("subscriptions/modify", "operations[0].operationType", ["tests", "forceUpdate", ""]),
            ("subscriptions/modify", "operations[0].subscription.subscriptionID", ["", "ä", "a\u{0}"]),
            (
                "subscriptions/modify", "operations[0].subscription.subscriptionType",
                ["zones", "record", "database", "zone", ""]
            ),
            ("subscriptions/modify", "operations[0].subscription.firesOn", [["Create"], ["create", "entered"], [""]]),
            ("subscriptions/modify", "operations[0].subscription.query.recordType", ["1a", ""]),
            (
                "subscriptions/modify", "operations[0].subscription.query.filterBy[0].comparator",
                ["equals", "NEARBY", "="]
            ),
            (
                "subscriptions/modify", "operations[0].subscription.query.filterBy[0].fieldName",
                ["1a", "___unknown", ""]
            ),
            (
                "subscriptions/modify", "operations[0].subscription.query.filterBy[1].systemFieldName",
                ["share", "title", ""]
            ),
            (
                "subscriptions/modify", "operations[0].subscription.query.filterBy[1].fieldValue.type",
                ["STRING", "X_LIST"]
            ),
            (
                "subscriptions/modify", "operations[0].subscription.query.filterBy[1].fieldValue.value",
                [[1], ["a", nil]]
            ),
            (
                "subscriptions/modify", "operations[0].subscription.notificationInfo.additionalFields",
                [["a", "b", "c", "d"], ["1a"], [""]]
            ),
            (
                "subscriptions/modify", "operations[0].subscription.notificationInfo.alertBody",
                [
                    .string(String(repeating: "x", count: 4097)),
                    .string("a" + String(repeating: "\u{301}", count: 5000)),
                ]
            ),
            ("devices/register", "deviceID", ["", "a.b", "ä", "a b", .string(String(repeating: "x", count: 65))]),
            ("devices/register", "name", [.string(String(repeating: "x", count: 256))]),
            ("notifications/changes", "deviceID", ["", "a.b"]),
            ("notifications/changes", "resultsLimit", [-1, 1.5, .integer(.min)]),
            ("notifications/changes", "waitSeconds", [-1, 61, .integer(.max)]),
            (
                "notifications/changes", "serverChangeToken",
                ["", "x", "AAAA", "ä", .string(String(repeating: "A", count: 5000))]
            ),
            ("notifications/markRead", "notificationIDs", [[], .array(Array(repeating: "x", count: 201))]),
            ("badge/modify", "badgeValue", [-1, .integer(.min)]),
            ("signin", "user", ["", "a\u{0}b", .string(String(repeating: "x", count: 256))]),
        ] as [(String, String, [JSONValue])])
    func valuesOutOfRangeAreBadRequests(endpoint path: String, place: String, values: [JSONValue]) async throws {
        try await WebBench.run { bench in
            let alice = try await bench.signIn("alice")
            try await bench.register("phone", alice)
            let endpoint = try #require(Endpoint.posts.first { $0.path == path })
            for value in values {
                let body = Place(place).set(value, in: endpoint.body!)
                let answer = try await bench.send("POST", endpoint.address(bench), body, user: alice)
                expectRefusal(answer, "\(value): \(answer.status) \(answer.json)")
            }
        }
    }

    /// The whole request is refused, or, in `subscriptions/modify`, the one operation that cannot be read.
    private func expectRefusal(
        _ answer: Answer, _ comment: Comment, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        guard answer.status == 200, let item = answer.json["subscriptions"]?[0] else {
            return expect(answer, .badRequest, comment, sourceLocation: sourceLocation)
        }
        #expect(item["serverErrorCode"] == "BAD_REQUEST", comment, sourceLocation: sourceLocation)
    }

    /// Device IDs are in queries, too.
    @Test(arguments: ["badge/current", "notifications/stream"])
    func queriesAreCheckedLikeBodies(path: String) async throws {
        try await WebBench.run { bench in
            let alice = try await bench.signIn("alice")
            for query in [
                [], [("deviceID", "")], [("deviceID", "a.b")], [("deviceID", "a/b")], [("deviceId", "phone")],
            ] {
                expect(try await bench.send("GET", bench.device(path), user: alice, query: query), .badRequest)
            }
            for client in ["a\u{1}", "\u{7f}", String(repeating: "x", count: 256)] {
                var caller = alice
                caller.client = client
                expect(
                    try await bench.send("GET", bench.device(path), user: caller, query: [("deviceID", "x")]),
                    .badRequest)
            }
        }
    }

    /// What other clients spell otherwise is understood all the same.
    @Test func tolerantSpellings() async throws {
        try await WebBench.run { bench in
            let alice = try await bench.signIn("alice")
            func modify(_ change: (inout JSONValue) -> Void) async throws -> Answer {
                var subscription = Endpoint.subscription
                change(&subscription)
                return try await bench.send(
                    "POST", bench.database("subscriptions/modify"),
                    ["operations": [["operationType": "create", "subscription": subscription]]], user: alice)
            }
            func set(_ value: JSONValue?, _ place: String) -> (inout JSONValue) -> Void {
                { $0 = Place(place).set(value, in: $0) }
            }
            let answers = [
                try await modify(set("QUERY", "subscriptionType")),
                try await modify(set("lone", "subscriptionID")),
                try await modify { subscription in
                    // A lone filter stands for a list of one: Apple's JS sends it so.
                    set("filter", "subscriptionID")(&subscription)
                    let filter: JSONValue = [
                        "fieldName": "___createTime", "comparator": "GREATER_THAN",
                        "fieldValue": ["value": 5, "type": "TIMESTAMP"],
                    ]
                    set(filter, "query.filterBy")(&subscription)
                },
                try await modify { subscription in
                    set("wide", "subscriptionID")(&subscription)
                    set(true, "zoneWide")(&subscription)
                },
            ]
            let items = answers.compactMap { $0.json["subscriptions"]?[0] }
            #expect(items.count == 4)
            #expect(items[0]["subscriptionType"] == "query")
            #expect(items[1]["serverErrorCode"] == "BAD_REQUEST", "the same condition under another ID")
            #expect(items[2]["query"]?["filterBy"]?[0]?["systemFieldName"] == "createdTimestamp")
            #expect(items[3]["zoneWide"] == true && items[3]["zoneID"] == nil)
        }
    }
}
