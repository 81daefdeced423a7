import CloudJSON
import CloudModel
import JSON
import RecordService

/// Writes users for those who asked for them (docs/cloudkit.md#users-and-shares).
enum UserEncoding {
    /// The caller, with the address.
    static func caller(_ profile: UserProfile, isDiscoverable: Bool) -> JSONValue {
        var json = UserJSON.identity(profile)
        json["isDiscoverable"] = .bool(isDiscoverable)
        if let email = profile.email { json["emailAddress"] = .string(email) }
        return .object(json)
    }

    /// Another user. The address is included only if the lookup had it.
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
