import CloudModel
import DeviceClient
import JSON
import RecordService

/// Writes shares (spec sections 5.3 and 5.10).
enum ShareEncoding {
    /// What a record of the type `cloudkit.share` has beside its fields.
    static func add(_ share: Share, of record: Record, _ viewer: UserRecordName?, to json: inout JSONObject) {
        json["shortGUID"] = .string(share.shortGUID)
        json["publicPermission"] = .string(share.publicPermission.description)
        if let root = share.root { json["forRecord"] = ["recordName": .string(root.rawValue)] }
        let owner: JSONValue = [
            "userIdentity": ["userRecordName": .string(record.zone.owner.rawValue)], "type": "OWNER",
            "permission": "READ_WRITE", "acceptanceStatus": "ACCEPTED",
        ]
        json["owner"] = owner
        let isOwner = viewer == record.zone.owner
        json["participants"] = .array(
            [owner] + share.participants.map { participant($0, showsAddress: isOwner || $0.user == viewer) })
        if isOwner {
            json["currentUserParticipant"] = owner
        } else if let mine = share.participants.first(where: { $0.user == viewer }) {
            json["currentUserParticipant"] = participant(mine, showsAddress: true)
        }
    }

    /// What a short GUID led to.
    static func result(
        _ result: Result<RecordService.ResolvedShare, CloudError>, shortGUID: String, root wantsRoot: Bool,
        _ encoding: RecordEncoding
    ) -> JSONValue {
        var json: JSONObject = ["shortGUID": ["value": .string(shortGUID)]]
        switch result {
        case .failure(let error): return .object(ErrorEncoding.item(error, into: json))
        case .success(let share):
            json["zoneID"] = FieldJSON.zone(share.record.zone)
            json["databaseScope"] = "SHARED"
            json["share"] = encoding.record(share.record)
            json["ownerIdentity"] = ["userRecordName": .string(share.record.zone.owner.rawValue)]
            if let participant = share.participant {
                json["participantType"] = .string(participant.isPublic ? "PUBLIC_USER" : "USER")
                json["participantStatus"] = participant.accepted == nil ? "INVITED" : "ACCEPTED"
                json["participantPermission"] = .string(participant.permission.description)
            }
            if let root = share.record.shareDetails?.root { json["rootRecordName"] = .string(root.rawValue) }
            if wantsRoot, let root = share.root { json["rootRecord"] = encoding.record(root) }
            return .object(json)
        }
    }

    /// An address is told to the owner, who gave it, and to whom it is of.
    private static func participant(_ participant: Share.Participant, showsAddress: Bool) -> JSONValue {
        var identity: JSONObject = ["userRecordName": .string(participant.user.rawValue)]
        if showsAddress, let address = participant.emailAddress {
            identity["lookupInfo"] = ["emailAddress": .string(address)]
        }
        return [
            "userIdentity": .object(identity),
            "type": participant.isPublic ? "PUBLIC_USER" : "USER",
            "permission": .string(participant.permission.description),
            "acceptanceStatus": participant.accepted == nil ? "INVITED" : "ACCEPTED",
        ]
    }
}
