import CloudJSON
import CloudModel
import JSON
import RecordService

/// Writes users for those who asked for them (spec section 5.10).
enum UserEncoding {
    /// The caller, to whom the address is told.
    static func caller(_ profile: UserProfile, isDiscoverable: Bool) -> JSONValue {
        var json = UserJSON.identity(profile)
        json["isDiscoverable"] = .bool(isDiscoverable)
        if let email = profile.email { json["emailAddress"] = .string(email) }
        return .object(json)
    }

    /// Another user. The address is told to those only who knew it: as the lookup that found the user.
    static func found(_ profile: UserProfile, by lookup: UserLookup?) -> JSONValue {
        var json = UserJSON.identity(profile)
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
}
