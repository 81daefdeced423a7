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
        let user = try caller.signedIn(to: "requesting the own identity")
        return try await store.read { [self] in try profiles($0, for: user).own() } ?? UserProfile(name: user)
    }

    /// Returns true if the caller is found by others.
    package func isDiscoverable(_ caller: Caller) async throws -> Bool {
        let user = try caller.signedIn(to: "requesting the own identity")
        return try await store.read { try $0.isDiscoverable(user) }
    }

    /// Lets others find the caller by address and record name, or not any more.
    package func setDiscoverable(_ isDiscoverable: Bool, for caller: Caller) async throws {
        let user = try caller.signedIn(to: "being found")
        guard try await store.read({ try $0.isDiscoverable(user) }) != isDiscoverable else { return }
        try await store.write(in: .user(user)) { try $0.setDiscoverable(isDiscoverable, user) }
    }

    /// The user that each lookup finds, nil if none. Only users who allow it, and the caller, are found; nothing
    /// reveals that others exist.
    /// - Throws: `BAD_REQUEST` for an address with control characters.
    package func lookUpUsers(_ lookups: [UserLookup], for caller: Caller) async throws -> [UserProfile?] {
        let user = try caller.signedIn(to: "looking up users")
        try checkCount(lookups.count)
        return try await store.read { [self] reader in
            let profiles = profiles(reader, for: user)
            return try lookups.map(profiles.found)
        }
    }

    /// Users' profiles, as far as a user may see them.
    func profiles(_ reader: any StoreReader, for viewer: UserRecordName?) -> VisibleProfiles {
        VisibleProfiles(reader, for: viewer, areUsersDiscoverable: options.areUsersDiscoverable)
    }

    /// The users who said that they may be found, by record name, as many as an answer takes.
    package func discoverableUsers(for caller: Caller) async throws -> [UserProfile] {
        let user = try caller.signedIn(to: "discovering users")
        return try await store.read { [self] in
            try profiles($0, for: user).discoverable(limit: Limits.operationsMax)
        }
    }
}
