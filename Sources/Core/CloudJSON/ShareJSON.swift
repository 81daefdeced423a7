package import CloudModel
package import JSON

/// Shares as JSON: what a record of the type `cloudkit.share` has beside its fields (docs/cloudkit.md#dictionaries).
package enum ShareJSON {
    /// The members of a record that is a share, as one user sees it.
    /// - Parameter people: the names that the viewer may know.
    static func members(
        of share: Share, _ record: Record, _ viewer: UserRecordName?, _ people: [UserRecordName: UserProfile]
    ) -> JSONObject {
        var json: JSONObject = [
            "shortGUID": .string(share.shortGUID), "publicPermission": .string(share.publicPermission.description),
        ]
        if let root = share.root { json["forRecord"] = ReferenceJSON.name(root) }
        let owner: JSONValue = [
            "userIdentity": .object(identity(of: record.zone.owner, people)), "type": "OWNER",
            "permission": "READ_WRITE", "acceptanceStatus": "ACCEPTED",
        ]
        json["owner"] = owner
        let isOwner = viewer == record.zone.owner
        let mine = share.participants.first { $0.user == viewer }
        json["participants"] = .array(
            [owner] + share.participants.map { participant($0, people, showsAddress: isOwner || $0.user == viewer) })
        if isOwner {
            json["currentUserParticipant"] = owner
        } else if let mine {
            json["currentUserParticipant"] = participant(mine, people, showsAddress: true)
        }
        return json
    }

    /// A user with the names that are known.
    package static func identity(of user: UserRecordName, _ people: [UserRecordName: UserProfile]) -> JSONObject {
        var json: JSONObject = ["userRecordName": .string(user.rawValue)]
        if let components = people[user].flatMap(UserJSON.nameComponents) { json["nameComponents"] = components }
        return json
    }

    /// Adds a share to its record, as a request gives it.
    static func add(_ share: GivenShare, to json: inout JSONObject) {
        if let root = share.root {
            var record: JSONObject = ["recordName": .string(root.rawValue)]
            if let tag = share.rootChangeTag { record["recordChangeTag"] = .string(tag) }
            json["forRecord"] = .object(record)
        }
        if let permission = share.publicPermission { json["publicPermission"] = .string(permission.description) }
        guard let participants = share.participants else { return }
        json["participants"] = .array(
            participants.map { participant in
                var json: JSONObject = ["userIdentity": identity(participant.person)]
                if let permission = participant.permission { json["permission"] = .string(permission.description) }
                if let role = participant.role { json["type"] = .string(role.description) }
                if participant.isRemoved { json["acceptanceStatus"] = "REMOVED" }
                return .object(json)
            })
    }

    /// Reads a share from a record of an answer. The time of an acceptance is not in it: it is zero.
    static func read(_ json: JSONPath) throws(CloudError) -> Share {
        let participants = try json.required("participants").elements { json throws(CloudError) in
            try json["type"]?.string() == "OWNER" ? nil : try readParticipant(json)
        }
        return Share(
            root: try json.member("forRecord", ReferenceJSON.readName),
            publicPermission: try knownPermission(try json.required("publicPermission")),
            participants: participants.compactMap { $0 }, shortGUID: try json.required("shortGUID").string())
    }

    /// Reads a share from the record of a request.
    static func readGiven(_ json: JSONPath) throws(CloudError) -> GivenShare {
        var share = GivenShare()
        if let root = try json["forRecord"]?.object() {
            share.root = try root.required("recordName").identifier()
            share.rootChangeTag = try root["recordChangeTag"]?.string()
        }
        share.publicPermission = try json["publicPermission"].flatMap(permission)
        // Clients send answered entries back, the owner included, whose name identifies the entry, and not its type.
        share.participants = try json["participants"]?.elements(readGivenParticipant)
        return share
    }

    /// The owner, who gave the address, and the user of the address see it.
    private static func participant(
        _ participant: Share.Participant, _ people: [UserRecordName: UserProfile], showsAddress: Bool
    ) -> JSONValue {
        var identity = identity(of: participant.user, people)
        if showsAddress, let address = participant.emailAddress {
            identity["lookupInfo"] = ["emailAddress": .string(address)]
        }
        return [
            "userIdentity": .object(identity),
            "type": .string(participant.role.description),
            "permission": .string(participant.permission.description),
            "acceptanceStatus": participant.accepted == nil ? "INVITED" : "ACCEPTED",
        ]
    }

    private static func identity(_ person: GivenShare.Participant.Person) -> JSONValue {
        switch person {
        case .user(let name): ["userRecordName": .string(name.rawValue)]
        case .emailAddress(let address): ["lookupInfo": ["emailAddress": .string(address)]]
        }
    }

    private static func readParticipant(_ json: JSONPath) throws(CloudError) -> Share.Participant {
        let identity = try json.required("userIdentity").object()
        var participant = Share.Participant(
            user: try identity.required("userRecordName").identifier(),
            permission: try knownPermission(try json.required("permission")),
            role: try role(try json.required("type")) ?? .user,
            accepted: try json.required("acceptanceStatus").string() == "ACCEPTED" ? .zero : nil)
        participant.emailAddress = try identity["lookupInfo"]?["emailAddress"]?.string()
        return participant
    }

    private static func readGivenParticipant(_ json: JSONPath) throws(CloudError) -> GivenShare.Participant {
        let identity = try json.object().required("userIdentity").object()
        let person: GivenShare.Participant.Person
        if let name = identity["userRecordName"] ?? identity["lookupInfo"]?["userRecordName"] {
            person = .user(try name.identifier())
        } else if let address = identity["lookupInfo"]?["emailAddress"] {
            let text = try address.string()
            guard text.contains("@"), text.utf8.count <= Limits.nameCharactersMax else {
                throw .badRequest("\(address.path) is no email address of at most \(Limits.nameCharactersMax) bytes")
            }
            guard (try? EmailAddress(text)) != nil else {
                throw .badRequest("\(address.path) has a control character or a line end")
            }
            person = .emailAddress(text)
        } else {
            throw .badRequest(
                "\(identity.path) needs userRecordName, or lookupInfo with emailAddress or userRecordName; or share by publicPermission and shortGUID"
            )
        }
        var participant = GivenShare.Participant(
            person: person, permission: try json["permission"].flatMap(permission),
            role: try json["type"].flatMap(role))
        participant.isRemoved = try json["acceptanceStatus"].map(isRemoved) ?? false
        return participant
    }

    // MARK: Words

    /// The permission that a word names; nil for `UNKNOWN`, which leaves what there is.
    private static func permission(_ json: JSONPath) throws(CloudError) -> Share.Permission? {
        try word(json, Share.Permission.allCases.map { ("\($0)", $0) } + [("UNKNOWN", nil)])
    }

    private static func knownPermission(_ json: JSONPath) throws(CloudError) -> Share.Permission {
        guard let permission = try permission(json) else { throw json.wrong("NONE, READ_ONLY or READ_WRITE") }
        return permission
    }

    /// The role that a word names; nil for `OWNER`, the named owner, and for `UNKNOWN`, which changes nothing.
    private static func role(_ json: JSONPath) throws(CloudError) -> Share.Participant.Role? {
        try word(json, Share.Participant.Role.allCases.map { ("\($0)", $0) } + [("OWNER", nil), ("UNKNOWN", nil)])
    }

    /// Returns true if a participant is to be taken out. Whether one has accepted is the participant's own to say.
    private static func isRemoved(_ json: JSONPath) throws(CloudError) -> Bool {
        try word(json, [("INVITED", false), ("ACCEPTED", false), ("REMOVED", true), ("UNKNOWN", false)])
    }

    private static func word<Meaning>(
        _ json: JSONPath, _ known: [(word: String, meaning: Meaning)]
    ) throws(CloudError) -> Meaning {
        let text = try json.string()
        guard let found = known.first(where: { $0.word == text }) else {
            throw .badRequest(
                "\(json.path) is '\(text)'; known words are \(known.map(\.word).joined(separator: ", "))")
        }
        return found.meaning
    }
}
