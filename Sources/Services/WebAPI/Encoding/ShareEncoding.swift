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
            addPart(in: share, of: encoding.viewer, to: &json)
            if let root = share.record.shareDetails?.root { json["rootRecordName"] = .string(root.rawValue) }
            if wantsRoot, let root = share.root { json["rootRecord"] = encoding.record(root) }
            return .object(json)
        }
    }

    /// Adds the caller's part, or the one that accepting would give: whoever may know a share without an invitation is let in by its
    /// public permission.
    private static func addPart(
        in share: RecordService.ResolvedShare, of viewer: UserRecordName?, to json: inout JSONObject
    ) {
        let isOwner = viewer == share.record.zone.owner
        let (own, open) = (share.participant, share.record.shareDetails?.publicPermission ?? .none)
        let role = own?.role ?? .publicUser
        let permission = isOwner ? .readWrite : own?.permission ?? open
        json["participantType"] = isOwner ? "OWNER" : .string(role.description)
        json["participantStatus"] = isOwner || own?.accepted != nil ? "ACCEPTED" : "INVITED"
        json["participantPermission"] = .string(permission.description)
    }
}
