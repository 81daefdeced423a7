import JSON
import Testing

@Suite("5.10 Sharing") struct SharingTests {
    /// A zone of an owner's with a record, shared as a whole.
    private struct SharedZone {
        var owner: Visitor
        var zone: String
        var type: String
        var shortGUID: String
    }

    private func share(_ permission: String, participants: [Visitor] = []) async throws -> SharedZone {
        let owner = try await ConformanceService.shared().user("owner")
        let (zone, type) = (try await owner.zone(), Unique.type())
        try await owner.save("r", type, ["n": 1], zone: zone)
        let share = try await owner.modify(
            "create",
            [
                "recordName": "cloudkit.zoneshare", "recordType": "cloudkit.share",
                "publicPermission": .string(permission),
                "participants": .array(
                    participants.map {
                        ["userIdentity": ["userRecordName": .string($0.recordName)], "permission": "READ_WRITE"]
                    }),
            ], zone: zone)
        let guid = try #require(share["shortGUID"]?.string, "\(share)")
        #expect(share["recordType"] == "cloudkit.share" && share["publicPermission"]?.string == permission)
        return SharedZone(owner: owner, zone: zone, type: type, shortGUID: guid)
    }

    private func accept(_ user: Visitor, _ guid: String) async throws -> JSONValue {
        let reply = try await user.post(
            "records/accept", in: "public", ["shortGUIDs": [["value": .string(guid)]]])
        return reply.items("results").first ?? reply.json
    }

    private func zoneID(_ shared: SharedZone) -> JSONValue {
        ["zoneName": .string(shared.zone), "ownerRecordName": .string(shared.owner.recordName)]
    }

    private func lookUp(_ user: Visitor, _ shared: SharedZone) async throws -> JSONValue {
        let reply = try await user.post(
            "records/lookup", in: "shared", ["records": [["recordName": "r"]], "zoneID": zoneID(shared)])
        return reply.items("records").first ?? reply.json
    }

    @Test("5.10 a short GUID is resolved to the share and accepted; the zone is then in the shared database")
    func accepting() async throws {
        let shared = try await share("READ_ONLY")
        let guest = try await shared.owner.service.user("guest")
        let resolved = try await guest.post(
            "records/resolve", in: "public", ["shortGUIDs": [["value": .string(shared.shortGUID)]]])
        #expect(resolved.items("results").first?["share"]?["shortGUID"]?.string == shared.shortGUID, "\(resolved)")
        #expect(try await lookUp(guest, shared).code == "ZONE_NOT_FOUND")
        let accepted = try await accept(guest, shared.shortGUID)
        #expect(accepted["participantStatus"] == "ACCEPTED", "\(accepted)")
        #expect(try await lookUp(guest, shared).field("n") == 1)
        let zones = try await guest.get("zones/list", in: "shared").items("zones")
        #expect(zones.map { $0["zoneID"]?["ownerRecordName"]?.string } == [shared.owner.recordName])
    }

    @Test("5.10 a share without public permission is for its participants alone")
    func invited() async throws {
        let service = try await ConformanceService.shared()
        let (guest, stranger) = (try await service.user(), try await service.user())
        let shared = try await share("NONE", participants: [guest])
        #expect(try await accept(stranger, shared.shortGUID).code != nil)
        #expect(try await lookUp(stranger, shared).code == "ZONE_NOT_FOUND")
        let guids: JSONValue = ["shortGUIDs": [["value": .string(shared.shortGUID)], ["value": "none"]]]
        let resolved = try await guest.post("records/resolve", in: "public", guids)
        #expect(resolved.items("results").map(\.code) == [nil, "NOT_FOUND"], "\(resolved)")
        let saved = try await shared.owner.lookUp("cloudkit.zoneshare", zone: shared.zone).first
        let parts = saved?["participants"]?.array ?? []
        #expect(parts.map { $0["type"] } == ["OWNER", "USER"], "\(parts)")
        #expect(parts.last?["acceptanceStatus"] == "INVITED", "\(parts)")
        expect(try await guest.post("records/accept", in: "private", guids), 400, "BAD_REQUEST")
        let accepted = try await accept(guest, shared.shortGUID)
        #expect(accepted.code == nil && accepted["zoneID"]?["zoneName"]?.string == shared.zone, "\(accepted)")
        #expect(try await lookUp(guest, shared).field("n") == 1)
    }

    @Test("8.5 a record takes part in one share only, and a zone names its share")
    func once() async throws {
        let shared = try await share("READ_ONLY")
        let owner = shared.owner
        let second = try await owner.modify(
            "create",
            ["recordName": "s", "recordType": "cloudkit.share", "forRecord": ["recordName": "r"]], zone: shared.zone)
        #expect(second.code == "EXISTS" && second["share"]?.recordName == "cloudkit.zoneshare", "\(second)")
        for (endpoint, body) in [
            ("zones/list", [:] as JSONValue), ("zones/lookup", ["zones": [zoneID(shared)]]),
            ("changes/database", [:]), ("zones/changes", [:]),
        ] {
            let zones = try await owner.post(endpoint, body).items("zones")
            let zone = zones.first { $0["zoneID"]?["zoneName"]?.string == shared.zone }
            #expect(zone?["share"]?.recordName == "cloudkit.zoneshare", "\(endpoint): \(zones)")
        }
    }

    @Test("8.5 a participant leaves by deleting the zone in the shared database")
    func leaving() async throws {
        let shared = try await share("READ_ONLY")
        let guest = try await shared.owner.service.user("guest")
        _ = try await accept(guest, shared.shortGUID)
        let body: JSONValue = ["operations": [["operationType": "delete", "zone": ["zoneID": zoneID(shared)]]]]
        let left = try await guest.post("zones/modify", in: "shared", body)
        #expect(left.items("zones").map { $0["deleted"] } == [true], "\(left)")
        #expect(try await guest.get("zones/list", in: "shared").items("zones").isEmpty)
        #expect(try await shared.owner.lookUp("r", zone: shared.zone).first?.field("n") == 1)
        #expect(
            try await guest.post("zones/modify", in: "shared", body).items("zones").map(\.code) == ["ZONE_NOT_FOUND"])
    }

    @Test("8.5 writing into a shared zone is subject to permission", arguments: ["READ_ONLY", "READ_WRITE"])
    func writing(permission: String) async throws {
        let shared = try await share(permission)
        let guest = try await shared.owner.service.user("guest")
        _ = try await accept(guest, shared.shortGUID)
        let reply = try await guest.post(
            "records/modify", in: "shared",
            [
                "operations": [
                    [
                        "operationType": "forceUpdate",
                        "record": [
                            "recordName": "r", "recordType": .string(shared.type), "fields": ["n": ["value": 2]],
                        ],
                    ]
                ], "zoneID": zoneID(shared),
            ])
        let code = reply.code ?? reply.items("records").first?.code
        #expect(code == (permission == "READ_ONLY" ? "ACCESS_DENIED" : nil), "\(reply)")
        let seen = try await shared.owner.lookUp("r", zone: shared.zone).first?.field("n")
        #expect(seen == (permission == "READ_ONLY" ? 1 : 2))
    }

    @Test("5.7 the shared database has change feeds, and reports when access ends")
    func feeds() async throws {
        let shared = try await share("READ_ONLY")
        let guest = try await shared.owner.service.user("guest")
        _ = try await accept(guest, shared.shortGUID)
        let database = try await guest.post("changes/database", in: "shared", [:])
        #expect(database.items("zones").map { $0["zoneID"]?["zoneName"]?.string } == [shared.zone], "\(database)")
        let zone = try await guest.post("changes/zone", in: "shared", ["zones": [["zoneID": zoneID(shared)]]])
        let names = zone.items("zones").first?["records"]?.array?.compactMap(\.recordName) ?? []
        #expect(names.contains("r"), "\(zone)")
        _ = try await shared.owner.modify("forceDelete", ["recordName": "cloudkit.zoneshare"], zone: shared.zone)
        #expect(try await lookUp(guest, shared).code == "ZONE_NOT_FOUND")
        let token = try #require(database.json["syncToken"])
        let after = try await guest.post("changes/database", in: "shared", ["syncToken": token])
        #expect(after.items("zones").first?["deleted"] == true, "\(after)")
    }

    @Test("5.10 those who take part have names, and the share an address for people")
    func people() async throws {
        let guest = try await ConformanceService.shared().user("guest")
        let shared = try await share("NONE", participants: [guest])
        let accepted = try await accept(guest, shared.shortGUID)
        #expect(accepted["ownerIdentity"]?["nameComponents"]?["givenName"]?.string?.isEmpty == false, "\(accepted)")
        for part in accepted["share"]?["participants"]?.array ?? [] {
            #expect(part["userIdentity"]?["nameComponents"]?["givenName"]?.string?.isEmpty == false, "\(accepted)")
            #expect(part["acceptanceStatus"] == "ACCEPTED", "\(accepted)")
        }
        let address = try #require(accepted["shareURL"]?.string, "\(accepted)")
        #expect(address.hasSuffix("/" + shared.shortGUID))
    }

    @Test("5.10 a short GUID that is none is NOT_FOUND")
    func unknown() async throws {
        let user = try await ConformanceService.shared().user()
        #expect(try await accept(user, "nothing").code == "NOT_FOUND")
    }

    @Test("5.3 a hierarchy is shared by forRecord, and nothing beside it")
    func hierarchy() async throws {
        let owner = try await ConformanceService.shared().user("owner")
        let (zone, type) = (try await owner.zone(), JSONValue.string(Unique.type()))
        let parent: JSONValue = ["recordName": "root"]
        let saved = try await owner.modify(
            [
                ("create", ["recordName": "root", "recordType": type]),
                ("create", ["recordName": "child", "recordType": type, "parent": parent]),
                ("create", ["recordName": "aside", "recordType": type]),
                (
                    "create",
                    [
                        "recordName": "share", "recordType": "cloudkit.share", "forRecord": parent,
                        "publicPermission": "READ_ONLY",
                    ]
                ),
            ], zone: zone)
        let guid = try #require(saved.items("records").last?["shortGUID"]?.string, "\(saved)")
        let guest = try await owner.service.user("guest")
        #expect(try await accept(guest, guid).code == nil)
        let reply = try await guest.post(
            "records/lookup", in: "shared",
            [
                "records": [["recordName": "root"], ["recordName": "child"], ["recordName": "aside"]],
                "zoneID": ["zoneName": .string(zone), "ownerRecordName": .string(owner.recordName)],
            ])
        #expect(reply.items("records").map(\.code) == [nil, nil, "NOT_FOUND"], "\(reply)")
    }
}
