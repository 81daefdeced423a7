import CloudModel
import JSON
import RecordService

/// Writes users as CloudKit's identity dictionaries (spec section 5.10), with the members of the older form beside them.
enum UserEncoding {
    /// The caller, to whom the address is told.
    static func caller(_ profile: UserProfile, isDiscoverable: Bool) -> JSONValue {
        var json = identity(profile)
        json["isDiscoverable"] = .bool(isDiscoverable)
        if let email = profile.email { json["emailAddress"] = .string(email) }
        return .object(json)
    }

    /// Another user. The address is told to those only who knew it: as the lookup that found the user.
    static func found(_ profile: UserProfile, by lookup: UserLookup?) -> JSONValue {
        var json = identity(profile)
        if case .email(let address)? = lookup { json["emailAddress"] = .string(address) }
        json["lookupInfo"] = .object(lookup.map(info) ?? ["userRecordName": .string(profile.name.rawValue)])
        return .object(json)
    }

    /// A lookup, as it was given.
    static func info(_ lookup: UserLookup) -> JSONObject {
        switch lookup {
        case .email(let address): ["emailAddress": .string(address)]
        case .recordName(let name): ["userRecordName": .string(name.rawValue)]
        case .phoneNumber(let number): ["phoneNumber": .string(number)]
        }
    }

    private static func identity(_ profile: UserProfile) -> JSONObject {
        var json: JSONObject = ["userRecordName": .string(profile.name.rawValue)]
        var components: JSONObject = [:]
        if let name = profile.givenName {
            json["firstName"] = .string(name)
            components["givenName"] = .string(name)
        }
        if let name = profile.familyName {
            json["lastName"] = .string(name)
            components["familyName"] = .string(name)
        }
        json["nameComponents"] = .object(components)
        return json
    }
}
