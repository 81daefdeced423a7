import CloudModel
import JSON
import Testing

/// The three kinds of subscriptions over HTTP, each operation for itself (stories S2, S3, S4).
@Suite struct SubscriptionEndpointTests {
    private func modify(
        _ bench: WebBench, _ user: WebBench.SignedIn, in database: String = "private",
        _ operations: [(String, JSONValue)]
    ) async throws -> [JSONValue] {
        let answer = try await bench.send(
            "POST", bench.database("subscriptions/modify", database),
            [
                "operations": .array(
                    operations.map { ["operationType": .string($0.0), "subscription": $0.1] })
            ], user: user)
        #expect(answer.status == 200, "\(answer.json)")
        return answer.json["subscriptions"]?.array ?? []
    }

    private func makeZone(_ bench: WebBench, _ user: WebBench.SignedIn) async throws {
        let answer = try await bench.send(
            "POST", bench.database("zones/modify", "private"),
            ["operations": [["operationType": "create", "zone": ["zoneID": ["zoneName": "a"]]]]], user: user)
        #expect(answer.json["zones"]?[0]?["serverErrorCode"] == nil, "\(answer.json)")
    }

    private static let zone: JSONValue = [
        "subscriptionID": "z", "subscriptionType": "zone", "zoneID": ["zoneName": "a"], "notificationInfo": [:],
    ]
    private static let database: JSONValue = [
        "subscriptionID": "d", "subscriptionType": "database", "recordType": "T",
        "notificationInfo": ["shouldBadge": true],
    ]

    @Test func zoneAndDatabaseSubscriptionsAreAnsweredAsTheyAre() async throws {
        try await WebBench.run { bench in
            let alice = try await bench.signIn("alice")
            try await makeZone(bench, alice)
            let made = try await modify(bench, alice, [("create", Self.zone), ("create", Self.database)])
            #expect(
                made == [
                    [
                        "subscriptionID": "z", "subscriptionType": "zone",
                        "notificationInfo": ["shouldBadge": false], "zoneID": ["zoneName": "a"],
                    ],
                    [
                        "subscriptionID": "d", "subscriptionType": "database", "recordType": "T",
                        "notificationInfo": ["shouldBadge": true],
                    ],
                ])
            let listed = try await bench.send("GET", bench.database("subscriptions/list", "private"), user: alice)
            #expect(Set((listed.json["subscriptions"]?.array ?? []).map { "\($0)" }) == Set(made.map { "\($0)" }))
        }
    }

    /// docs/choices.md, 21, and how clients write a database subscription that know no such type.
    @Test(arguments: ["zone", "ZONE", "recordZone", "RECORD_ZONE"])
    func spellingsOfZones(type: String) async throws {
        try await WebBench.run { bench in
            let alice = try await bench.signIn("alice")
            try await makeZone(bench, alice)
            let zone = Place("subscriptionType").set(.string(type), in: Self.zone)
            let wide: JSONValue = [
                "subscriptionType": .string(type), "zoneWide": true, "notificationInfo": [:],
            ]
            let items = try await modify(bench, alice, [("create", zone), ("create", wide)])
            #expect(items.map { $0["subscriptionType"] } == ["zone", "database"])
        }
    }

    /// An operation that cannot be read fails for itself; the others are done.
    @Test func operationsAreIndependent() async throws {
        try await WebBench.run { bench in
            let alice = try await bench.signIn("alice")
            try await makeZone(bench, alice)
            let items = try await modify(
                bench, alice,
                [
                    ("create", Self.zone), ("create", ["subscriptionID": "x", "subscriptionType": 5]),
                    ("make", ["subscriptionID": "y"]), ("create", Self.database), ("delete", [:]),
                    ("create", Place("firesOn").set(["create"], in: Place("subscriptionID").set("v", in: Self.zone))),
                ])
            #expect(
                items.map { $0["serverErrorCode"]?.string } == [
                    nil, "BAD_REQUEST", "BAD_REQUEST", nil, "BAD_REQUEST", "BAD_REQUEST",
                ])
            #expect(items.map { $0["subscriptionID"]?.string } == ["z", "x", "y", "d", nil, "v"])
            #expect(items[1]["reason"]?.string?.contains("operations[1].subscription.subscriptionType") == true)
        }
    }

    @Test func oneSubscriptionTwiceFailsTheRequest() async throws {
        try await WebBench.run { bench in
            let alice = try await bench.signIn("alice")
            let operation: JSONValue = ["operationType": "delete", "subscription": ["subscriptionID": "s"]]
            expect(
                try await bench.send(
                    "POST", bench.database("subscriptions/modify"), ["operations": [operation, operation]],
                    user: alice), .badRequest)
        }
    }

    @Test func enterLeaveAndChangedKeysAreAnswered() async throws {
        try await WebBench.run { bench in
            let alice = try await bench.signIn("alice")
            let subscription: JSONValue = [
                "subscriptionType": "query", "query": ["recordType": "T"], "firesOn": ["leave", "update", "enter"],
                "changedKeys": ["b", "a"], "notificationInfo": [:],
            ]
            let item = try await modify(bench, alice, [("create", subscription)])[0]
            #expect(item["firesOn"] == ["update", "enter", "leave"] && item["changedKeys"] == ["a", "b"], "\(item)")
        }
    }

    @Test func aTestReturnsMatches() async throws {
        try await WebBench.run { bench in
            let alice = try await bench.signIn("alice")
            let saves = (1...3).map { number -> JSONValue in
                [
                    "operationType": "create",
                    "record": [
                        "recordName": .string("r\(number)"), "recordType": "T",
                        "fields": ["n": ["value": .integer(Int64(number))]],
                    ],
                ]
            }
            _ = try await bench.send(
                "POST", bench.database("records/modify"), ["operations": .array(saves)], user: alice)
            let subscription: JSONValue = [
                "subscriptionType": "query", "query": ["recordType": "T", "predicate": "n >= 2"],
                "firesOn": ["create"], "notificationInfo": [:],
            ]
            let item = try await modify(bench, alice, in: "public", [("test", subscription)])[0]
            // The first change is the record of the user.
            #expect(item["tested"] == true && item["predicateCost"] == 1 && item["changesExamined"] == 4, "\(item)")
            #expect(item["changesMatched"] == 2 && item["subscription"]?["subscriptionID"] == nil)
            #expect(item["matches"]?.array?.map { $0["recordName"]?.string } == ["r2", "r3"])
            #expect(item["matches"]?[0]?["change"] == "recordCreated")
            let listed = try await bench.send("GET", bench.database("subscriptions/list"), user: alice)
            #expect(listed.json["subscriptions"] == [])
            try await tryMore(bench, alice, subscription)
        }
    }

    /// What a test can be asked beside the changes that fire.
    private func tryMore(
        _ bench: WebBench, _ user: WebBench.SignedIn, _ subscription: JSONValue
    ) async throws {
        func test(_ members: JSONObject, _ subscription: JSONValue) async throws -> JSONValue {
            var operation = members
            operation["operationType"] = "test"
            operation["subscription"] = subscription
            let answer = try await bench.send(
                "POST", bench.database("subscriptions/modify"),
                ["operations": [.object(operation)], "numbersAsStrings": true], user: user)
            return try #require(answer.json["subscriptions"]?[0], "\(answer.json)")
        }
        let latest = try await test(["changesMax": 1, "nearly": true], subscription)
        #expect(latest["changesExamined"] == 1 && latest["changesMatched"] == 1 && latest["changesNear"] == 0)
        let near = try await test(["nearly": true, "record": ["recordName": "r1"]], subscription)
        #expect(near["changesNear"] == 1 && near["nearMisses"]?[0]?["recordName"] == "r1", "\(near)")
        let failed: JSONObject = [
            "fieldName": "n", "relation": "GREATER_THAN_OR_EQUALS", "operand": ["value": "2", "type": "INT64"],
            "value": ["value": "1", "type": "INT64"],
        ]
        #expect(near["nearMisses"]?[0]?["failed"] == .object(failed), "\(near)")
        let node = near["record"]?["predicate"]
        #expect(near["record"]?["holds"] == false && node?["decides"] == true && node?["value"] == failed["value"])
        #expect(near["indexes"]?[0]?["fieldName"] == "n", "\(near)")
        let missing = try await test(["parseOnly": true, "record": ["recordName": "none"]], subscription)
        #expect(missing["record"]?["serverErrorCode"] == "NOT_FOUND" && missing["matches"] == nil, "\(missing)")
        var wrong = subscription.object ?? [:]
        wrong["query"] = ["recordType": "T", "predicate": "n >= 2 AND n ?? 3"]
        let refused = try await test(["parseOnly": true], .object(wrong))
        #expect(refused["serverErrorCode"] == "BAD_REQUEST" && refused["predicateColumn"] == 14, "\(refused)")
        for members in [["changesMax": 0], ["changesMax": 1001], ["record": "r1"]] as [JSONObject] {
            #expect(try await test(members, subscription)["serverErrorCode"] == "BAD_REQUEST")
        }
        let query = try await bench.send(
            "POST", bench.database("records/query"), ["query": ["recordType": "T", "predicate": "n >> 2"]], user: user)
        #expect(query.json["predicateColumn"] == 4, "\(query.json)")
    }
}
