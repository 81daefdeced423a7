import CloudModel
package import JSON
package import RecordService
package import RecordStore

/// Users as operators see them, on pages and by commands.
package enum UserReport {
    /// A user who has signed in.
    package static func json(_ user: ListedUser) -> JSONObject {
        var json: JSONObject = [
            "userRecordName": .string(user.profile.name.rawValue), "issuer": .string(user.identity.issuer),
            "subject": .string(user.identity.subject), "created": .integer(user.created.milliseconds),
            "isBlocked": .bool(user.isBlocked), "isDiscoverable": .bool(user.isDiscoverable),
        ]
        if let email = user.profile.email { json["emailAddress"] = .string(email) }
        if let name = user.profile.givenName { json["givenName"] = .string(name) }
        if let name = user.profile.familyName { json["familyName"] = .string(name) }
        return json
    }

    /// The usage of a user beside the quotas; a count without a bound has the quota null.
    package static func json(_ usage: [RecordService.UsageLine]) -> JSONValue {
        var json = JSONObject()
        for line in usage {
            json[line.name] = ["used": .integer(line.used), "quota": line.quota.map { .integer($0) } ?? .null]
        }
        return .object(json)
    }
}
