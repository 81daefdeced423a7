package import CloudModel
import RecordStore

/// How a user is looked up.
package enum UserLookup: Hashable, Sendable {
    case email(String)
    case recordName(UserRecordName)
    /// Nobody is found by it: the service knows no phone numbers.
    case phoneNumber(String)
}

extension RecordService {
    /// What is known of the caller.
    package func currentUser(for caller: Caller) async throws -> UserProfile {
        let user = try caller.signedIn(to: "asking who one is")
        return try await store.read { try $0.profile(of: user) } ?? UserProfile(name: user)
    }

    /// The user that each lookup finds, nil where it finds nobody. Where users are not discoverable, everybody finds
    /// oneself only.
    package func lookUpUsers(_ lookups: [UserLookup], for caller: Caller) async throws -> [UserProfile?] {
        let user = try caller.signedIn(to: "looking up users")
        try checkCount(lookups.count)
        let finds = options.areUsersDiscoverable
        return try await store.read { reader in
            try lookups.map { lookup in
                let found: UserProfile? =
                    switch lookup {
                    case .email(let address): try reader.profiles(withEmail: address.lowercased()).first
                    case .recordName(let name): try reader.profile(of: name)
                    case .phoneNumber: nil
                    }
                return finds || found?.name == user ? found : nil
            }
        }
    }

    /// The users that the caller may know of, by record name, as many as an answer takes.
    package func discoverableUsers(for caller: Caller) async throws -> [UserProfile] {
        let user = try caller.signedIn(to: "discovering users")
        guard options.areUsersDiscoverable else { return [try await currentUser(for: Caller(user: user))] }
        return try await store.read { try $0.profiles(limit: Limits.operationsMax) }
    }
}
