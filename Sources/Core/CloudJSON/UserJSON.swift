package import CloudModel
package import JSON

/// Users as CloudKit's identity dictionaries (docs/cloudkit.md#users-and-shares), with the members of the older form.
package enum UserJSON {
    /// Writes a user without the address, which not every caller may see.
    package static func identity(_ profile: UserProfile) -> JSONObject {
        var json: JSONObject = ["userRecordName": .string(profile.name.rawValue)]
        if let name = profile.givenName { json["firstName"] = .string(name) }
        if let name = profile.familyName { json["lastName"] = .string(name) }
        json["nameComponents"] = nameComponents(profile) ?? [:]
        return json
    }

    /// The names alone; nil where none is known.
    static func nameComponents(_ profile: UserProfile) -> JSONValue? {
        var components: JSONObject = [:]
        if let name = profile.givenName { components["givenName"] = .string(name) }
        if let name = profile.familyName { components["familyName"] = .string(name) }
        return components.isEmpty ? nil : .object(components)
    }

    /// Reads a user, with the address if it is there.
    package static func read(_ json: JSONPath) throws(CloudError) -> UserProfile {
        let components = json["nameComponents"]
        return UserProfile(
            name: try json.object().required("userRecordName").identifier(),
            email: try json["emailAddress"]?.string(), givenName: try components?["givenName"]?.string(),
            familyName: try components?["familyName"]?.string())
    }
}
