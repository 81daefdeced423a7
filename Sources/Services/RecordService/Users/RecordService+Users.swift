package import CloudModel
import RecordStore

/// The name by which a user is looked up.
package enum UserLookup: Hashable, Sendable {
    case email(String)
    case recordName(UserRecordName)
    /// A phone number, which finds nobody: the service knows none.
    case phoneNumber(String)
}

extension RecordService {
    /// The profile of the caller.
    package func currentUser(for caller: Caller) async throws -> UserProfile {
        let user = try caller.signedIn(to: "asking who one is")
        return try await store.read { try $0.profile(of: user) } ?? UserProfile(name: user)
    }

    /// Returns true if the caller is found by others.
    package func isDiscoverable(_ caller: Caller) async throws -> Bool {
        let user = try caller.signedIn(to: "asking who one is")
        return try await store.read { try $0.isDiscoverable(user) }
    }

    /// Lets others find the caller by address and record name, or not any more.
    package func setDiscoverable(_ isDiscoverable: Bool, for caller: Caller) async throws {
        let user = try caller.signedIn(to: "being found")
        guard try await store.read({ try $0.isDiscoverable(user) }) != isDiscoverable else { return }
        try await store.write { try $0.setDiscoverable(isDiscoverable, user) }
    }

    /// The user that each lookup finds, nil where it finds nobody. Found are those who said that they may be, and oneself;
    /// whether somebody else is there at all is not told.
    package func lookUpUsers(_ lookups: [UserLookup], for caller: Caller) async throws -> [UserProfile?] {
        let user = try caller.signedIn(to: "looking up users")
        try checkCount(lookups.count)
        let mayFind = options.areUsersDiscoverable
        return try await store.read { reader in
            try lookups.map { lookup in
                let found: UserProfile? =
                    switch lookup {
                    case .email(let address): try reader.profiles(withEmail: address.lowercased()).first
                    case .recordName(let name): try reader.profile(of: name)
                    case .phoneNumber: nil
                    }
                guard let found else { return nil }
                if found.name == user { return found }
                return try mayFind && Self.isFound(found.name, reader) ? found : nil
            }
        }
    }

    /// Returns true if others find a user: one who said so, and is not blocked.
    static func isFound(_ user: UserRecordName, _ reader: any StoreReader) throws -> Bool {
        guard try reader.isDiscoverable(user) else { return false }
        return try reader.account(of: user)?.isBlocked == false
    }

    /// The users who said that they may be found, by record name, as many as an answer takes.
    package func discoverableUsers(for caller: Caller) async throws -> [UserProfile] {
        _ = try caller.signedIn(to: "discovering users")
        guard options.areUsersDiscoverable else { return [] }
        return try await store.read { try $0.discoverableProfiles(limit: Limits.operationsMax) }
    }
}
