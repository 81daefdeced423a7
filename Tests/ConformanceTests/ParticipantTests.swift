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
}
