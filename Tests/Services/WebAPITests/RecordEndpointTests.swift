import CloudModel
import JSON
import TestSupport
import Testing

/// Records and subscriptions as the endpoints answer them (docs/cloudkit.md#dictionaries).
@Suite struct RecordEndpointTests {
    private func modify(
        _ bench: WebBench, _ user: WebBench.SignedIn?, _ database: String = "public", _ operations: JSONValue...
    ) async throws -> Answer {
        try await bench.send(
            "POST", bench.database("records/modify", database), ["operations": .array(operations)], user: user)
    }

    private func operation(_ kind: String, _ record: JSONValue) -> JSONValue {
        ["operationType": .string(kind), "record": record]
    }

    @Test func aRecordIsAnsweredWithItsSystemFields() async throws {
        try await WebBench.run { bench in
            var alice = try await bench.signIn("alice")
            try await bench.register("phone", alice)
            alice.client = "phone"
            let saved = try await modify(bench, alice, "public", operation("create", Endpoint.record))
            let record = try #require(saved.json["records"]?[0])
            #expect(record["recordName"] == "r" && record["recordType"] == "T" && record["deleted"] == false)
            #expect(record["recordChangeTag"]?.string?.isEmpty == false)
            #expect(
                record["fields"] == [
                    "n": ["value": 1, "type": "INT64"], "s": ["value": "x", "type": "STRING"],
                    "d": ["value": 0.5, "type": "DOUBLE"], "t": ["value": 5, "type": "TIMESTAMP"],
                    "l": ["value": ["x"], "type": "STRING_LIST"],
                    "f": ["value": ["recordName": "q", "action": "NONE"], "type": "REFERENCE"],
                ])
            for stamp in ["created", "modified"] {
                #expect(record[stamp]?["userRecordName"]?.string == alice.name)
                #expect(record[stamp]?["deviceID"] == "phone")
                #expect(try #require(record[stamp]?["timestamp"]?.integer) > 1_500_000_000_000)
            }
            #expect(record["zoneID"]?["zoneName"] == "_defaultZone")
            let found = try await bench.send(
                "POST", bench.database("records/lookup"), ["records": [["recordName": "r"], ["recordName": "x"]]],
                user: alice)
            #expect(found.json["records"]?[0] == record)
            #expect(found.json["records"]?[1]?["serverErrorCode"] == "NOT_FOUND")
            let deleted = try await modify(
                bench, alice, "public",
                operation("delete", ["recordName": "r", "recordChangeTag": record["recordChangeTag"]!]))
            #expect(deleted.json["records"] == [["recordName": "r", "deleted": true]])
        }
    }

    /// Per-item errors sit inside a 200, in the order of the operations, each with its own code.
    @Test func errorsOfItemsStandInTheirPlaces() async throws {
        try await WebBench.run { bench in
            let alice = try await bench.signIn("alice")
            let bob = try await bench.signIn("bob")
            for name in ["alices", "alices2"] { try await bench.save(name, user: alice) }
            let answer = try await modify(
                bench, bob, "public", operation("create", ["recordName": "a", "recordType": "T"]),
                operation("create", ["recordName": "alices", "recordType": "T"]),
                operation("update", ["recordName": "none", "recordChangeTag": "x"]),
                operation("forceUpdate", ["recordName": "alices2", "recordType": "T"]), operation("delete", [:]),
                operation("create", ["recordName": "b"]),
                operation(
                    "create",
                    [
                        "recordName": "c", "recordType": "T",
                        "fields": ["to": ["value": ["recordName": "nowhere", "action": "VALIDATE"]]],
                    ]), operation("create", ["recordType": "T"]))
            #expect(answer.status == 200)
            let items = try #require(answer.json["records"]?.array)
            #expect(
                items.map { $0["serverErrorCode"]?.string } == [
                    nil, "EXISTS", "NOT_FOUND", "ACCESS_DENIED", "BAD_REQUEST", "BAD_REQUEST",
                    "VALIDATING_REFERENCE_ERROR", nil,
                ])
            #expect(
                items.map { $0["recordName"]?.string }.dropLast() == ["a", "alices", "none", "alices2", nil, "b", "c"])
            for item in items where item["serverErrorCode"] != nil {
                #expect(item["reason"]?.string?.isEmpty == false && item["uuid"]?.string?.utf8.count == 36)
                #expect(item["fields"] == nil && item["recordType"] == nil)
            }
        }
    }

    @Test func requestsOverALimitAreTooLarge() async throws {
        try await WebBench.run { bench in
            let alice = try await bench.signIn("alice")
            let operations = (0..<201).map {
                operation("create", ["recordName": .string("r\($0)"), "recordType": "T"])
            }
            func send(_ path: String, _ key: String, _ values: [JSONValue]) async throws -> Answer {
                try await bench.send("POST", bench.database(path), [key: .array(values)] as JSONValue, user: alice)
            }
            expect(try await send("records/modify", "operations", operations), .quotaExceeded)
            #expect(try await send("records/modify", "operations", Array(operations[..<200])).status == 200)
            expect(try await send("records/modify", "operations", [operations[0], operations[0]]), .badRequest)
            let names = (0..<201).map { JSONValue.object(["recordName": .string("r\($0)")]) }
            expect(try await send("records/lookup", "records", names), .quotaExceeded)
            let ids = (0..<201).map { JSONValue.object(["subscriptionID": .string("s\($0)")]) }
            expect(try await send("subscriptions/lookup", "subscriptions", ids), .quotaExceeded)
            let deletions = ids.map { JSONValue.object(["operationType": "delete", "subscription": $0]) }
            expect(try await send("subscriptions/modify", "operations", deletions), .quotaExceeded)
        }
    }

    /// Only default zones in this version; the shared database has none.
    @Test func otherZonesAreNotFound() async throws {
        try await WebBench.run { bench in
            let alice = try await bench.signIn("alice")
            for path in ["records/modify", "records/lookup"] {
                let endpoint = try #require(Endpoint.posts.first { $0.path == path })
                let body = Place("zoneID.zoneName").set("Holidays", in: endpoint.body!)
                expect(try await bench.send("POST", bench.database(path), body, user: alice), .zoneNotFound)
                expect(
                    try await bench.send("POST", bench.database(path, "shared"), endpoint.body!, user: alice),
                    .badRequest)
            }
            let subscription = Place("zoneID.zoneName").set("Holidays", in: Endpoint.subscription)
            let answer = try await bench.send(
                "POST", bench.database("subscriptions/modify"),
                ["operations": [["operationType": "create", "subscription": subscription]]], user: alice)
            #expect(answer.json["subscriptions"]?[0]?["serverErrorCode"] == "ZONE_NOT_FOUND")
        }
    }

    @Test func privateRecordsAreTheirOwners() async throws {
        try await WebBench.run { bench in
            let alice = try await bench.signIn("alice")
            let bob = try await bench.signIn("bob")
            _ = try await modify(bench, alice, "private", operation("create", ["recordName": "r", "recordType": "T"]))
            let lookup: JSONValue = ["records": [["recordName": "r"]]]
            let path = bench.database("records/lookup", "private")
            #expect(try await bench.send("POST", path, lookup, user: alice).json["records"]?[0]?["recordType"] == "T")
            #expect(
                try await bench.send("POST", path, lookup, user: bob).json["records"]?[0]?["serverErrorCode"]
                    == "NOT_FOUND")
            expect(try await bench.send("POST", path, lookup, user: nil), .authenticationRequired)
        }
    }

    @Test func subscriptionsAreAnsweredAsTheyWereSaved() async throws {
        try await WebBench.run { bench in
            let alice = try await bench.signIn("alice")
            func modify(_ kind: String, _ subscription: JSONValue) async throws -> JSONValue {
                let answer = try await bench.send(
                    "POST", bench.database("subscriptions/modify"),
                    ["operations": [["operationType": .string(kind), "subscription": subscription]]], user: alice)
                #expect(answer.status == 200)
                return answer.json["subscriptions"]?[0] ?? .null
            }
            let saved = try await modify("create", Endpoint.subscription)
            #expect(saved == Endpoint.subscription)
            let listed = try await bench.send("GET", bench.database("subscriptions/list"), user: alice)
            #expect(listed.json == ["subscriptions": [saved]])
            let found = try await bench.send(
                "POST", bench.database("subscriptions/lookup"),
                ["subscriptions": [["subscriptionID": "s"], ["subscriptionID": "x"]]], user: alice)
            #expect(found.json["subscriptions"]?[0] == saved)
            #expect(found.json["subscriptions"]?[1]?["serverErrorCode"] == "NOT_FOUND")
            #expect(found.json["subscriptions"]?[1]?["subscriptionID"] == "x")
            // Created without an ID, it gets one; without notificationInfo or firesOn it is refused.
            var other = Place("subscriptionID").set(nil, in: Endpoint.subscription)
            other = Place("firesOn").set(["delete", "update", "delete"], in: other)
            let made = try await modify("create", other)
            #expect(made["subscriptionID"]?.string?.utf8.count == 36 && made["firesOn"] == ["update", "delete"])
            for missing in ["notificationInfo", "firesOn"] {
                let item = try await modify("create", Place(missing).set(nil, in: other))
                #expect(item["serverErrorCode"] == "BAD_REQUEST")
            }
            let updated = try await modify(
                "update", Place("notificationInfo").set([:], in: Endpoint.subscription))
            #expect(updated["notificationInfo"] == ["shouldBadge": false])
            #expect(try await modify("delete", ["subscriptionID": "s"]) == ["subscriptionID": "s", "deleted": true])
            #expect(try await modify("delete", ["subscriptionID": "s"])["serverErrorCode"] == "NOT_FOUND")
        }
    }

    @Test func productionRefusesUnknownFields() async throws {
        try await WebBench.run(.production) { bench in
            let alice = try await bench.signIn("alice")
            let answer = try await modify(
                bench, alice, "public", operation("create", ["recordName": "r", "recordType": "T"]))
            #expect(answer.json["records"]?[0]?["serverErrorCode"] == "BAD_REQUEST")
        }
    }
}
