import CloudJSON
import CloudModel
import JSON
import RecordService

/// Writes what short GUIDs lead to (docs/cloudkit.md#users-and-shares).
enum ShareEncoding {
    /// Writes the share that a short GUID led to, or why it led nowhere.
    /// - Parameter page: the address of the share's page; nil where there is none.
    static func write(
        _ result: Result<RecordService.ResolvedShare, CloudError>, shortGUID: String, page: String?,
        root wantsRoot: Bool, _ encoding: RecordEncoding, to writer: inout JSONWriter
    ) {
        let guid: JSONObject = ["shortGUID": ["value": .string(shortGUID)]]
        switch result {
        case .failure(let error): writer.ownValue(.object(ErrorEncoding.item(error, into: guid)))
        case .success(let share):
            writer.beginObject()
            for (key, value) in guid { writer.ownMember(key, value) }
            writer.ownMember("zoneID", ZoneJSON.id(share.record.zone))
            writer.member("databaseScope", "SHARED")
            if let page { writer.member("shareURL", page) }
            writer.key("share")
            encoding.write(share.record, to: &writer)
            writer.ownMember("ownerIdentity", .object(ShareJSON.identity(of: share.record.zone.owner, encoding.people)))
            writePart(in: share, of: encoding.viewer, to: &writer)
            if let root = share.record.shareDetails?.root { writer.member("rootRecordName", root.rawValue) }
            if wantsRoot, let root = share.root {
                writer.key("rootRecord")
                encoding.write(root, to: &writer)
            }
            writer.endObject()
        }
    }

    /// Writes the caller's participation, or the one that accepting would give: a user who may see a share without an
    /// invitation gets its public permission.
    private static func writePart(
        in share: RecordService.ResolvedShare, of viewer: UserRecordName?, to writer: inout JSONWriter
    ) {
        let isOwner = viewer == share.record.zone.owner
        let (own, open) = (share.participant, share.record.shareDetails?.publicPermission ?? .none)
        let role = own?.role ?? .publicUser
        let permission = isOwner ? .readWrite : own?.permission ?? open
        writer.member("participantType", isOwner ? "OWNER" : role.description)
        writer.member("participantStatus", isOwner || own?.accepted != nil ? "ACCEPTED" : "INVITED")
        writer.member("participantPermission", permission.description)
    }
}
