import CloudModel
import JSON
import Testing

/// Zones and change feeds as the endpoints answer them (spec sections 5.3, 5.7, 5.8, 8.5).
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

    @Test func zonesAreMadeListedLookedUpAndDeleted() async throws {
        try await WebBench.run { bench in
            let alice = try await bench.signIn("alice")
            let made = try await modifyZones(
                bench, alice, ("create", "a"), ("delete", "none"), ("delete", "_defaultZone"))
            #expect(made.status == 200)
            let zone = try #require(made.json["zones"]?[0])
            #expect(
                zone["zoneID"] == [
                    "zoneName": "a", "ownerRecordName": .string(alice.name), "zoneType": "REGULAR_CUSTOM_ZONE",
                ])
            #expect(zone["atomic"] == true && zone["syncToken"]?.string?.isEmpty == false && zone["deleted"] == nil)
            #expect(made.json["zones"]?[1]?["serverErrorCode"] == "ZONE_NOT_FOUND")
            #expect(made.json["zones"]?[1]?["zoneID"] == ["zoneName": "none"])
            #expect(made.json["zones"]?[2]?["serverErrorCode"] == "BAD_REQUEST")
            let listed = try await bench.send("GET", bench.database("zones/list", "private"), user: alice)
            #expect(listed.json["zones"]?.array?.count == 2 && listed.json["zones"]?[1] == zone)
            #expect(listed.json["zones"]?[0]?["zoneID"]?["zoneType"] == "DEFAULT_ZONE")
            #expect(listed.json["zones"]?[0]?["atomic"] == false)
            let found = try await bench.send(
                "POST", bench.database("zones/lookup", "private"),
                ["zones": [["zoneName": "a", "ownerRecordName": "__defaultOwner__"], ["zoneName": "b"]]], user: alice)
            #expect(found.json["zones"]?[0] == zone)
            #expect(found.json["zones"]?[1]?["serverErrorCode"] == "ZONE_NOT_FOUND")
            let deleted = try await modifyZones(bench, alice, ("delete", "a"))
            #expect(deleted.json["zones"]?[0]?["deleted"] == true)
            for database in ["public", "shared"] {
                expect(try await modifyZones(bench, alice, ("create", "b"), in: database), .badRequest)
            }
        }
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

    @Test func databasesTellWhichZonesChanged() async throws {
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

    /// A share as CloudKit writes it, from its making to the participant's reading (spec sections 5.3 and 5.10).
    @Test func aZoneIsSharedByAShortGUID() async throws {
        try await WebBench.run { bench in
            let alice = try await bench.signIn("alice")
            let bob = try await bench.signIn("bob")
            _ = try await modifyZones(bench, alice, ("create", "a"))
            _ = try await save(bench, alice, "create", "x")
            let saved = try await bench.send(
                "POST", bench.database("records/modify", "private"),
                [
                    "zoneID": ["zoneName": "a"],
                    "operations": [
                        [
                            "operationType": "create",
                            "record": [
                                "recordName": "cloudkit.zoneshare", "recordType": "cloudkit.share",
                                "publicPermission": "NONE",
                                "participants": [
                                    [
                                        "userIdentity": ["userRecordName": .string(bob.name)],
                                        "permission": "READ_ONLY",
                                    ]
                                ],
                            ],
                        ]
                    ],
                ], user: alice)
            let share = try #require(saved.json["records"]?[0])
            #expect(share["participants"]?.array?.map { $0["type"] } == ["OWNER", "USER"], "\(share)")
            #expect(share["participants"]?[1]?["acceptanceStatus"] == "INVITED")
            let guid = try #require(share["shortGUID"])
            let body: JSONValue = ["shortGUIDs": [["value": guid], ["value": "none"]]]
            let resolved = try await bench.send("POST", bench.database("records/resolve"), body, user: bob)
            #expect(resolved.json["results"]?[0]?["participantStatus"] == "INVITED")
            #expect(resolved.json["results"]?[1]?["serverErrorCode"] == "NOT_FOUND")
            let accepted = try await bench.send("POST", bench.database("records/accept"), body, user: bob)
            #expect(accepted.json["results"]?[0]?["participantStatus"] == "ACCEPTED")
            let zoneID = try #require(accepted.json["results"]?[0]?["zoneID"])
            let found = try await bench.send(
                "POST", bench.database("records/lookup", "shared"),
                ["zoneID": zoneID, "records": [["recordName": "x"]]], user: bob)
            #expect(found.json["records"]?[0]?["recordName"] == "x")
            let zones = try await bench.send("POST", bench.database("changes/database", "shared"), [:], user: bob)
            #expect(zones.json["zones"]?[0]?["zoneID"] == zoneID)
            expect(
                try await bench.send("POST", bench.database("records/accept", "private"), body, user: bob), .badRequest)
        }
    }

    /// Requests in custom zones are atomic unless they say otherwise (spec section 8.3).
    @Test func customZonesAreAtomic() async throws {
        try await WebBench.run { bench in
            let alice = try await bench.signIn("alice")
            _ = try await modifyZones(bench, alice, ("create", "a"))
            _ = try await save(bench, alice, "create", "there")
            let failed = try await save(bench, alice, "create", "new", "there")
            #expect(failed.status == 200)
            #expect(failed.json["records"]?.array?.map { $0["serverErrorCode"] } == ["ATOMIC_ERROR", "EXISTS"])
        }
    }
}
