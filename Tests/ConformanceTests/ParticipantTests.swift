import JSON
import Testing

@Suite("5.3 Participants of shares") struct ParticipantTests {
    /// A zone with the record `r`, shared as a whole with some users.
    private struct SharedZone {
        var owner: Visitor
        var zone: String
        var shortGUID = ""

        var zoneID: JSONValue { ["zoneName": .string(zone), "ownerRecordName": .string(owner.recordName)] }

        /// Saves the share, as its owner or, in the shared database, as somebody else; the item of the answer.
        @discardableResult
        func save(_ members: JSONObject, as user: Visitor? = nil) async throws -> JSONValue {
            var record = members
            record["recordName"] = "cloudkit.zoneshare"
            record["recordType"] = "cloudkit.share"
            return try await modify("forceUpdate", .object(record), as: user)
        }

        func modify(_ operation: String, _ record: JSONValue, as user: Visitor? = nil) async throws -> JSONValue {
            let reply = try await (user ?? owner).post(
                "records/modify", in: user == nil ? "private" : "shared",
                ["operations": [["operationType": .string(operation), "record": record]], "zoneID": zoneID])
            return reply.items("records").first ?? reply.json
        }

        func accept(_ user: Visitor) async throws -> JSONValue {
            let reply = try await user.post(
                "records/accept", in: "public", ["shortGUIDs": [["value": .string(shortGUID)]]])
            return reply.items("results").first ?? reply.json
        }

        /// The entry of a user in the share, as the owner sees it.
        func entry(_ user: Visitor) async throws -> JSONValue? {
            try await owner.lookUp("cloudkit.zoneshare", zone: zone).first?["participants"]?.array?.first {
                $0["userIdentity"]?["userRecordName"]?.string == user.recordName
            }
        }

        func reads(_ user: Visitor) async throws -> Bool {
            let reply = try await user.post(
                "records/lookup", in: "shared", ["records": [["recordName": "r"]], "zoneID": zoneID])
            return reply.items("records").first?.field("n") == 1
        }
    }

    private static func participant(_ user: Visitor, _ more: JSONObject = [:]) -> JSONValue {
        var entry = more
        entry["userIdentity"] = ["userRecordName": .string(user.recordName)]
        if entry["permission"] == nil { entry["permission"] = "READ_WRITE" }
        return .object(entry)
    }

    private func share(_ participants: [JSONValue], open: String = "NONE") async throws -> SharedZone {
        let owner = try await ConformanceService.shared().user("owner")
        var shared = SharedZone(owner: owner, zone: try await owner.zone())
        try await owner.save("r", Unique.type(), ["n": 1], zone: shared.zone)
        let saved = try await shared.save(["publicPermission": .string(open), "participants": .array(participants)])
        shared.shortGUID = try #require(saved["shortGUID"]?.string, "\(saved)")
        return shared
    }

    @Test("5.3 nobody is dropped for the type OWNER but the owner")
    func ownerByName() async throws {
        let guest = try await ConformanceService.shared().user("guest")
        let shared = try await share([Self.participant(guest, ["type": "OWNER"])])
        #expect(try await shared.accept(guest).code == nil)
        let saved = try await shared.save([
            "participants": [
                Self.participant(shared.owner, ["type": "OWNER"]), Self.participant(guest, ["type": "OWNER"]),
            ]
        ])
        #expect(saved["participants"]?.array?.map { $0["type"] } == ["OWNER", "USER"], "\(saved)")
        #expect(try await shared.reads(guest))
    }

    @Test("5.3 an administrator changes the participants, and neither the owner nor what else the share says")
    func administrators() async throws {
        let service = try await ConformanceService.shared()
        let (guest, other) = (try await service.user("guest"), try await service.user("other"))
        let (member, late) = (try await service.user("member"), try await service.user("late"))
        let shared = try await share([
            Self.participant(guest, ["type": "ADMINISTRATOR"]), Self.participant(member, ["type": "USER"]),
        ])
        #expect(try await shared.entry(guest)?["type"] == "ADMINISTRATOR")
        #expect(try await shared.accept(guest)["participantType"] == "ADMINISTRATOR")
        #expect(try await shared.accept(member)["participantType"] == "USER")
        let read = try await guest.post(
            "records/lookup", in: "shared",
            ["records": [["recordName": "cloudkit.zoneshare"]], "zoneID": shared.zoneID])
        let seen = try #require(read.items("records").first?["participants"]?.array, "\(read)")
        // What it was answered, with one more and without another.
        let kept = seen.filter { $0["userIdentity"]?["userRecordName"]?.string != member.recordName }
        let saved = try await shared.save(
            ["participants": .array(kept + [Self.participant(other)]), "publicPermission": "NONE"], as: guest)
        #expect(saved.code == nil, "\(saved)")
        #expect(try await shared.entry(shared.owner)?["type"] == "OWNER")
        #expect(try await shared.entry(guest)?["type"] == "ADMINISTRATOR")
        #expect(try await shared.accept(other).code == nil)
        #expect(try await shared.reads(other))
        #expect(try await !shared.reads(member))
        let open = try await shared.save(["publicPermission": "READ_ONLY"], as: guest)
        #expect(open.code == "ACCESS_DENIED", "\(open)")
        let title = try await shared.save(["fields": ["cloudkit.title": ["value": "Mine"]]], as: guest)
        #expect(title.code == "ACCESS_DENIED", "\(title)")
        let denied = try await shared.save(["participants": [Self.participant(late)]], as: other)
        #expect(denied.code == "ACCESS_DENIED", "\(denied)")
    }

    @Test("5.3 a participant who is REMOVED is taken out")
    func removed() async throws {
        let service = try await ConformanceService.shared()
        let (guest, other) = (try await service.user("guest"), try await service.user("other"))
        let shared = try await share([Self.participant(guest), Self.participant(other)])
        for user in [guest, other] { #expect(try await shared.accept(user).code == nil) }
        let saved = try await shared.save([
            "participants": [
                Self.participant(guest, ["acceptanceStatus": "REMOVED"]),
                Self.participant(other, ["acceptanceStatus": "ACCEPTED"]),
            ]
        ])
        #expect(saved["participants"]?.array?.count == 2, "\(saved)")
        #expect(try await !shared.reads(guest))
        #expect(try await shared.reads(other))
    }

    @Test(
        "5.3 words that are none are refused, and the reason has those that are",
        arguments: [
            ("type", "Foo", "ADMINISTRATOR"), ("acceptanceStatus", "zzz", "REMOVED"),
            ("permission", "ALL", "READ_ONLY"),
        ])
    func unknownWords(member: String, word: String, known: String) async throws {
        let guest = try await ConformanceService.shared().user("guest")
        let shared = try await share([])
        let saved = try await shared.save(["participants": [Self.participant(guest, [member: .string(word)])]])
        #expect(saved.code == "BAD_REQUEST", "\(saved)")
        let reason = saved["reason"]?.string ?? ""
        #expect(reason.contains(known) && reason.contains("'\(word)'"), "\(saved)")
    }

    @Test("5.3 UNKNOWN leaves what there is")
    func unknown() async throws {
        let guest = try await ConformanceService.shared().user("guest")
        let shared = try await share([Self.participant(guest, ["type": "ADMINISTRATOR"])], open: "READ_ONLY")
        #expect(try await shared.accept(guest).code == nil)
        let saved = try await shared.save([
            "publicPermission": "UNKNOWN",
            "participants": [
                Self.participant(
                    guest, ["type": "UNKNOWN", "acceptanceStatus": "UNKNOWN", "permission": "UNKNOWN"])
            ],
        ])
        #expect(saved["publicPermission"] == "READ_ONLY", "\(saved)")
        let entry = try await shared.entry(guest)
        #expect(entry?["type"] == "ADMINISTRATOR" && entry?["permission"] == "READ_WRITE", "\(saved)")
        #expect(entry?["acceptanceStatus"] == "ACCEPTED", "\(saved)")
    }

    @Test("5.3 a participant who deletes the shared share leaves it", arguments: ["USER", "ADMINISTRATOR"])
    func leaving(type: String) async throws {
        let service = try await ConformanceService.shared()
        let (guest, other) = (try await service.user("guest"), try await service.user("other"))
        let shared = try await share([Self.participant(guest, ["type": .string(type)]), Self.participant(other)])
        for user in [guest, other] { #expect(try await shared.accept(user).code == nil) }
        let token = try #require(try await guest.post("changes/database", in: "shared", [:]).json["syncToken"])
        let left = try await shared.modify("forceDelete", ["recordName": "cloudkit.zoneshare"], as: guest)
        #expect(left == ["recordName": "cloudkit.zoneshare", "deleted": true], "\(left)")
        #expect(try await !shared.reads(guest))
        #expect(try await shared.entry(guest) == nil)
        #expect(try await shared.reads(other), "the share stays")
        let changes = try await guest.post("changes/database", in: "shared", ["syncToken": token])
        #expect(changes.items("zones").first?["deleted"] == true, "\(changes)")
    }

    @Test("5.10 resolve says what part the caller has, or would have")
    func parts() async throws {
        let service = try await ConformanceService.shared()
        let (guest, stranger) = (try await service.user("guest"), try await service.user("stranger"))
        let shared = try await share([Self.participant(guest)], open: "READ_ONLY")
        func part(_ user: Visitor) async throws -> [String?] {
            let reply = try await user.post(
                "records/resolve", in: "public", ["shortGUIDs": [["value": .string(shared.shortGUID)]]])
            return ["participantType", "participantStatus", "participantPermission"].map {
                reply.items("results").first?[$0]?.string
            }
        }
        #expect(try await part(shared.owner) == ["OWNER", "ACCEPTED", "READ_WRITE"])
        #expect(try await part(guest) == ["USER", "INVITED", "READ_WRITE"])
        #expect(try await part(stranger) == ["PUBLIC_USER", "INVITED", "READ_ONLY"])
        #expect(try await shared.accept(stranger).code == nil)
        #expect(try await part(stranger) == ["PUBLIC_USER", "ACCEPTED", "READ_ONLY"])
    }
}
