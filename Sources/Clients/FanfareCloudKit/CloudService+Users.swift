import CloudJSON
import CloudModel
import JSON

extension CloudService {
    /// The signed-in user.
    func caller() async throws -> UserProfile {
        try read(try await get("database", "public/users/caller"), UserJSON.read)
    }

    /// Finds a user by email address or record name; nil if nobody is found.
    /// - Parameter lookup: a member of `lookupInfos`.
    func discover(_ lookup: JSONObject) async throws -> UserProfile? {
        let answer = try await database(.public, "users/discover", ["lookupInfos": [.object(lookup)]])
        return try read(answer) { json throws(CloudError) in
            try json.required("users").elements(UserJSON.read)
        }.first
    }

    /// The users who are discoverable.
    func discoverable() async throws -> [UserProfile] {
        try read(try await get("database", "public/users/discover")) { json throws(CloudError) in
            try json.required("users").elements(UserJSON.read)
        }
    }

    /// True if other users can find the signed-in user.
    func isDiscoverable() async throws -> Bool {
        try read(try await get("database", "public/users/caller"), Self.isDiscoverable)
    }

    /// Sets whether other users can find the signed-in user, and returns the new value.
    func setDiscoverable(_ isDiscoverable: Bool) async throws -> Bool {
        let body: JSONValue = ["isDiscoverable": .bool(isDiscoverable)]
        return try read(try await database(.public, "users/discoverable", body), Self.isDiscoverable)
    }

    private static func isDiscoverable(_ json: JSONPath) throws(CloudError) -> Bool {
        try json.required("isDiscoverable").bool()
    }

    /// Resolves or accepts shares by their short GUIDs. Returns one result for each.
    /// - Parameters:
    ///   - endpoint: `resolve` or `accept`.
    ///   - keys: the fields of the root records to fetch; nil is all.
    func shares(
        _ guids: [String], _ endpoint: String, keys: [String]? = nil
    ) async throws -> [Result<ResolvedShare, FanfareError>] {
        var wanted: JSONObject = ["shouldFetchRootRecord": true]
        if let keys { wanted["rootRecordDesiredKeys"] = .array(keys.map { .string($0) }) }
        let entries = guids.map { guid in
            var entry = wanted
            entry["value"] = .string(guid)
            return JSONValue.object(entry)
        }
        let body: JSONValue = ["shortGUIDs": .array(entries)]
        let answer = try await database(.public, "records/\(endpoint)", body)
        let results = try read(answer) { json throws(CloudError) in
            try json.required("results").elements { item throws(CloudError) -> Result<ResolvedShare, FanfareError> in
                if let error = ErrorJSON.read(item.value) { return .failure(FanfareError(error)) }
                return .success(try ResolvedShare.read(item))
            }
        }
        guard results.count == guids.count else {
            throw FanfareError(status: 200, code: nil, reason: "the answer has \(results.count) shares")
        }
        return results
    }
}

/// A share in the answer of `records/resolve` or `records/accept`.
struct ResolvedShare: Sendable {
    var share: Record
    var rootName: RecordName?
    var root: RecordItem?
    var status: String
    var permission: String
    var type: String

    static func read(_ json: JSONPath) throws(CloudError) -> ResolvedShare {
        ResolvedShare(
            share: try RecordJSON.read(try json.required("share")),
            rootName: try json["rootRecordName"]?.string().nonEmptyName,
            root: try json.member("rootRecord", RecordItem.read),
            status: try json["participantStatus"]?.string() ?? "",
            permission: try json["participantPermission"]?.string() ?? "",
            type: try json["participantType"]?.string() ?? "")
    }
}

extension ResolvedShare {
    /// Fills in the caller's role, status and permission where the answer lacks them: for the owner, and for a user who
    /// may join by the link.
    func completed(for user: String?) -> ResolvedShare {
        guard type.isEmpty else { return self }
        var result = self
        if share.zone.owner.rawValue == user || share.zone.owner == .defaultOwner {
            (result.type, result.status, result.permission) = ("OWNER", "ACCEPTED", "READ_WRITE")
        } else if let permission = share.shareDetails?.publicPermission, permission != .none {
            (result.type, result.status, result.permission) = ("PUBLIC_USER", "INVITED", permission.description)
        }
        return result
    }
}

extension String {
    fileprivate var nonEmptyName: RecordName? { isEmpty ? nil : RecordName(trusted: self) }
}
