import CloudJSON
import CloudModel
import JSON
import RecordService

/// Writes what short GUIDs lead to (spec section 5.10).
enum ShareEncoding {
    /// The share that a short GUID led to, or why it led nowhere.
    /// - Parameter page: the address of the share's page; nil where there is none.
    static func result(
        _ result: Result<RecordService.ResolvedShare, CloudError>, shortGUID: String, page: String?,
        root wantsRoot: Bool,
        _ encoding: RecordEncoding
    ) -> JSONValue {
        var json: JSONObject = ["shortGUID": ["value": .string(shortGUID)]]
        switch result {
        case .failure(let error): return .object(ErrorEncoding.item(error, into: json))
        case .success(let share):
            json["zoneID"] = ZoneJSON.id(share.record.zone)
            json["databaseScope"] = "SHARED"
            if let page { json["shareURL"] = .string(page) }
            json["share"] = encoding.record(share.record)
            json["ownerIdentity"] = .object(
                ShareJSON.identity(of: share.record.zone.owner, encoding.people))
            if let participant = share.participant {
                json["participantType"] = .string(participant.role.description)
                json["participantStatus"] = participant.accepted == nil ? "INVITED" : "ACCEPTED"
                json["participantPermission"] = .string(participant.permission.description)
            }
            if let root = share.record.shareDetails?.root { json["rootRecordName"] = .string(root.rawValue) }
            if wantsRoot, let root = share.root { json["rootRecord"] = encoding.record(root) }
            return .object(json)
        }
    }
}
