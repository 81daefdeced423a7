import JSON
import Testing

@Suite("5.8, 8.5 Zones") struct ZoneTests {
    private func operation(_ kind: String, _ zone: String) -> JSONValue {
        ["operationType": .string(kind), "zone": ["zoneID": ["zoneName": .string(zone)]]]
    }

    private func names(_ reply: Reply) -> [String?] { reply.items("zones").map { $0["zoneID"]?["zoneName"]?.string } }

    @Test("5.8 zones are made, listed, looked up and deleted")
    func life() async throws {
        let user = try await ConformanceService.shared().user()
        let made = try await user.post(
            "zones/modify", ["operations": [operation("create", "A"), operation("create", "B")]])
        #expect(names(made) == ["A", "B"] && made.items("zones").allSatisfy { $0.code == nil && $0["atomic"] == true })
        let owner = JSONValue.string(user.recordName)
        let zone = made.items("zones")[0]
        #expect(
            zone["zoneID"] == ["zoneName": "A", "ownerRecordName": owner, "zoneType": "REGULAR_CUSTOM_ZONE"])
        #expect(zone["syncToken"]?.string?.isEmpty == false && zone["deleted"] == nil)
        let listed = try await user.get("zones/list")
        #expect(names(listed) == ["_defaultZone", "A", "B"] && listed.items("zones")[1] == zone)
        let byDefault = listed.items("zones")[0]
        #expect(byDefault["zoneID"]?["zoneType"] == "DEFAULT_ZONE" && byDefault["atomic"] == false)
        let found = try await user.post(
            "zones/lookup",
            [
                "zones": [
                    ["zoneName": "A", "ownerRecordName": "__defaultOwner__"], ["zoneName": "none"],
                    ["zoneName": "_defaultZone"],
                ]
            ])
        #expect(found.items("zones").map(\.code) == [nil, "ZONE_NOT_FOUND", nil], "\(found)")
        #expect(names(found) == ["A", "none", "_defaultZone"] && found.items("zones")[0] == zone)
        let deleted = try await user.post(
            "zones/modify", ["operations": [operation("delete", "A"), operation("delete", "none")]])
        #expect(deleted.items("zones").map(\.code) == [nil, "ZONE_NOT_FOUND"], "\(deleted)")
        #expect(
            deleted.items("zones")[0]["deleted"] == true && deleted.items("zones")[1]["zoneID"] == ["zoneName": "none"])
        #expect(Set(names(try await user.get("zones/list"))) == ["_defaultZone", "B"])
    }

    @Test("8.5 deleting a zone deletes its records")
    func deletion() async throws {
        let user = try await ConformanceService.shared().user()
        let zone = try await user.zone()
        try await user.save("r", Unique.type(), zone: zone)
        _ = try await user.post("zones/modify", ["operations": [operation("delete", zone)]])
        let body: JSONValue = ["records": [["recordName": "r"]], "zoneID": ["zoneName": .string(zone)]]
        let gone = try await user.post("records/lookup", body)
        #expect((gone.code ?? gone.items("records").first?.code) == "ZONE_NOT_FOUND", "\(gone)")
        _ = try await user.post("zones/modify", ["operations": [operation("create", zone)]])
        #expect(try await user.lookUp("r", zone: zone).first?.code == "NOT_FOUND")
    }

    @Test("8.5 the default zone is emptied where it is deleted, and stays")
    func defaultZone() async throws {
        let user = try await ConformanceService.shared().user()
        let type = Unique.type()
        for name in ["a", "b"] { try await user.save(name, type, ["n": 1]) }
        let zone = try await user.zone()
        let ids = try await user.get("zones/list").items("zones").compactMap { $0["zoneID"]?["zoneName"]?.string }
        #expect(Set(ids) == ["_defaultZone", zone])
        let reply = try await user.post("zones/modify", ["operations": .array(ids.map { operation("delete", $0) })])
        #expect(reply.items("zones").map { $0["deleted"] } == [true, true], "\(reply)")
        #expect(try await user.lookUp("a", "b").map(\.code) == ["NOT_FOUND", "NOT_FOUND"])
        let found = try await user.post("records/query", ["query": ["recordType": .string(type)]])
        #expect(found.items("records").isEmpty, "\(found)")
        #expect(try await user.get("zones/list").items("zones").count == 1)
        #expect(try await user.save("a", type, ["n": 2]).field("n") == 2)
        // An empty one, too.
        let other = try await ConformanceService.shared().user()
        let empty = try await other.post("zones/modify", ["operations": [operation("delete", "_defaultZone")]])
        #expect(empty.items("zones").map(\.code) == [nil], "\(empty)")
    }

    @Test("8.5 zones are made in the private database only", arguments: ["public", "shared"])
    func privateOnly(database: String) async throws {
        let user = try await ConformanceService.shared().user()
        let reply = try await user.post("zones/modify", in: database, ["operations": [operation("create", "A")]])
        #expect((reply.code ?? reply.items("zones").first?.code) == "BAD_REQUEST", "\(reply)")
    }

    @Test("8.5 the default zone of the public database belongs to _defaultOwner")
    func publicZone() async throws {
        let user = try await ConformanceService.shared().user()
        let zones = try await user.get("zones/list", in: "public").items("zones")
        #expect(zones.map { $0["zoneID"]?["ownerRecordName"] } == ["_defaultOwner"])
        #expect(zones.first?["zoneID"]?["zoneName"] == "_defaultZone")
    }

    @Test("5.5 records of a zone that is not there are ZONE_NOT_FOUND")
    func missingZone() async throws {
        let user = try await ConformanceService.shared().user()
        let reply = try await user.modify([("create", ["recordType": "T"])], zone: "none")
        #expect((reply.code ?? reply.items("records").first?.code) == "ZONE_NOT_FOUND", "\(reply)")
    }

    @Test("8.5 the same name in two zones is two records")
    func names() async throws {
        let user = try await ConformanceService.shared().user()
        let (zone, type) = (try await user.zone(), Unique.type())
        try await user.save("r", type, ["n": 1])
        try await user.save("r", type, ["n": 2], zone: zone)
        #expect(try await user.lookUp("r").first?.field("n") == 1)
        #expect(try await user.lookUp("r", zone: zone).first?.field("n") == 2)
    }
}
