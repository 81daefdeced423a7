import CloudModel
import JSON
import Testing

/// Zones and change feeds as the endpoints answer them (docs/cloudkit.md#dictionaries).
@Suite struct ZoneEndpointTests {
    private func modifyZones(
        _ bench: WebBench, _ user: WebBench.SignedIn?, _ operations: (String, String)...,
        in database: String = "private"
    ) async throws -> Answer {
        let items = operations.map { kind, name -> JSONValue in
            ["operationType": .string(kind), "zone": ["zoneID": ["zoneName": .string(name)]]]
        }
        return try await bench.send(
            "POST", bench.database("zones/modify", database), ["operations": .array(items)], user: user)
    }

    private func save(
        _ bench: WebBench, _ user: WebBench.SignedIn?, _ kind: String = "forceUpdate", _ names: String...,
        zone: String = "a"
    ) async throws -> Answer {
        let items = names.map { name -> JSONValue in
            [
                "operationType": .string(kind),
                "record": [
                    "recordName": .string(name), "recordType": "T",
                    "fields": ["n": ["value": 1, "type": "INT64"], "s": ["value": "x"]],
                ],
            ]
        }
        return try await bench.send(
            "POST", bench.database("records/modify", "private"),
            ["operations": .array(items), "zoneID": ["zoneName": .string(zone)]], user: user)
    }

    @Test func aFeedIsReadPageByPage() async throws {
        try await WebBench.run { bench in
            let alice = try await bench.signIn("alice")
            _ = try await modifyZones(bench, alice, ("create", "a"))
            let saved = try await save(bench, alice, "forceUpdate", "x", "y", "z")
            #expect(saved.json["records"]?[0]?["zoneID"]?["zoneName"] == "a")
            func page(_ more: JSONObject) async throws -> Answer {
                var zone = more
                zone["zoneID"] = ["zoneName": "a"]
                return try await bench.send(
                    "POST", bench.database("changes/zone", "private"),
                    ["zones": [.object(zone), ["zoneID": ["zoneName": "none"]]], "numbersAsStrings": true], user: alice)
            }
            let first = try await page(["resultsLimit": 2, "desiredKeys": ["n"]])
            #expect(first.status == 200)
            let zone = try #require(first.json["zones"]?[0])
            #expect(zone["zoneID"]?["ownerRecordName"]?.string == alice.name)
            #expect(zone["moreComing"] == true && zone["records"]?.array?.count == 2)
            #expect(zone["records"]?[0]?["fields"] == ["n": ["value": "1", "type": "INT64"]])
            #expect(first.json["zones"]?[1]?["serverErrorCode"] == "ZONE_NOT_FOUND")
            #expect(first.json["zones"]?[1]?["zoneID"] == ["zoneName": "none"])
            _ = try await save(bench, alice, "forceDelete", "x")
            let second = try await page(["syncToken": zone["syncToken"]!])
            let records = try #require(second.json["zones"]?[0]?["records"]?.array)
            #expect(records.map { $0["recordName"] } == ["z", "x"])
            #expect(records[1]["deleted"] == true && records[1]["recordType"] == "T")
            #expect(second.json["zones"]?[0]?["moreComing"] == false)
            let old = try await bench.send(
                "POST", bench.database("records/changes", "private"), ["zoneID": ["zoneName": "a"]], user: alice)
            #expect(old.json["records"]?.array?.map { $0["recordName"] } == ["y", "z"])
            #expect(old.json["syncToken"] == second.json["zones"]?[0]?["syncToken"])
            let forged = try await page(["syncToken": "x"])
            #expect(forged.json["zones"]?[0]?["serverErrorCode"] == "BAD_REQUEST")
        }
    }

    @Test func databaseChangesListZones() async throws {
        try await WebBench.run { bench in
            let alice = try await bench.signIn("alice")
            _ = try await modifyZones(bench, alice, ("create", "a"), ("create", "b"))
            for (path, name) in [("changes/database", "syncToken"), ("zones/changes", "metaSyncToken")] {
                let address = bench.database(path, "private")
                let first = try await bench.send("POST", address, ["resultsLimit": 1], user: alice)
                #expect(first.json["moreComing"] == true && first.json["zones"]?.array?.count == 1)
                let rest = try await bench.send("POST", address, [name: first.json[name]!], user: alice)
                #expect(rest.json["zones"]?[0]?["zoneID"]?["zoneName"] == "b" && rest.json["moreComing"] == false)
                expect(try await bench.send("POST", address, ["resultsLimit": -1], user: alice), .badRequest)
                expect(try await bench.send("POST", bench.database(path), [:], user: alice), .badRequest)
                expect(try await bench.send("POST", address, [:], user: nil), .authenticationRequired)
                expect(try await bench.send("POST", address, [name: "forged"], user: alice), .badRequest)
            }
        }
    }
}
