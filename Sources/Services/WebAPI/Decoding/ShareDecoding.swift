import CloudModel
import JSON
import RecordService

/// Reads shares (spec sections 5.3 and 5.10).
enum ShareDecoding {
    /// What a record of the type `cloudkit.share` says beside its fields.
    static func share(_ json: JSONPath) throws(CloudError) -> GivenShare {
        var share = GivenShare()
        if let root = try json["forRecord"]?.object() {
            share.root = try root.required("recordName").identifier()
            share.rootChangeTag = try root["recordChangeTag"]?.string()
        }
        if let permission = json["publicPermission"] { share.publicPermission = try self.permission(permission) }
        guard let list = json["participants"] else { return share }
        var participants: [GivenShare.Participant] = []
        for participant in try list.elements() {
            // Clients send back what they were answered, the owner included.
            guard try participant.object()["type"]?.string() != "OWNER" else { continue }
            participants.append(try self.participant(participant))
        }
        share.participants = participants
        return share
    }

    /// The short GUIDs of `records/resolve` and `records/accept`, with whether the root record is wanted.
    static func shortGUIDs(_ body: JSONPath) throws(CloudError) -> [(
        value: String, wantsRoot: Bool, keys: Set<FieldName>?
    )] {
        var guids: [(value: String, wantsRoot: Bool, keys: Set<FieldName>?)] = []
        for json in try body.required("shortGUIDs").elements() {
            var keys: Set<FieldName>?
            if let list = try json.object()["rootRecordDesiredKeys"] {
                keys = []
                for key in try list.elements() { keys?.insert(try key.identifier()) }
            }
            guids.append(
                (try json.required("value").string(), try json["shouldFetchRootRecord"]?.bool() ?? false, keys))
        }
        return guids
    }

    private static func participant(_ json: JSONPath) throws(CloudError) -> GivenShare.Participant {
        let identity = try json.required("userIdentity").object()
        let person: GivenShare.Participant.Person
        if let name = identity["userRecordName"] ?? identity["lookupInfo"]?["userRecordName"] {
            person = .user(try name.identifier())
        } else if let address = identity["lookupInfo"]?["emailAddress"] {
            let text = try address.string()
            guard text.contains("@"), text.utf8.count <= Limits.nameCharactersMax else {
                throw .badRequest("\(address.path) is no email address of at most \(Limits.nameCharactersMax) bytes")
            }
            person = .emailAddress(text)
        } else {
            throw .badRequest(
                "\(identity.path) needs userRecordName, or lookupInfo with emailAddress or userRecordName; or share by publicPermission and shortGUID"
            )
        }
        return GivenShare.Participant(
            person: person, permission: try json["permission"].map(permission) ?? .readOnly)
    }

    private static func permission(_ json: JSONPath) throws(CloudError) -> Share.Permission {
        guard let permission = Share.Permission(name: try json.string()) else {
            throw .badRequest("\(json.path) is '\(try json.string())'; it may be NONE, READ_ONLY or READ_WRITE")
        }
        return permission
    }
}
