import CloudModel
import RecordStore

/// Users' profiles, as far as one user may see them. Nothing else of the module reads a profile: `HygieneTests` check
/// it.
struct VisibleProfiles {
    private let reader: any StoreReader
    private let viewer: UserRecordName?
    private let areUsersDiscoverable: Bool

    /// - Parameters:
    ///   - viewer: the user who reads; nil without a sign-in.
    ///   - areUsersDiscoverable: false where nobody is found, whatever users allowed.
    init(_ reader: any StoreReader, for viewer: UserRecordName?, areUsersDiscoverable: Bool) {
        self.reader = reader
        self.viewer = viewer
        self.areUsersDiscoverable = areUsersDiscoverable
    }

    /// The viewer's own profile, with the address; nil for a user without one.
    func own() throws -> UserProfile? { try viewer.flatMap(reader.profile) }

    /// The user that a lookup finds: the viewer, or one who allows it. Without the address.
    func found(by lookup: UserLookup) throws -> UserProfile? {
        let found: UserProfile? =
            switch lookup {
            case .email(let address): try holder(of: address)
            case .recordName(let name): try reader.profile(of: name)
            case .phoneNumber: nil
            }
        guard let found, try found.name == viewer || isFound(found.name) else { return nil }
        return found.withoutAddress
    }

    /// The users who allow it to be found, by record name. Without their addresses.
    func discoverable(limit: Int) throws -> [UserProfile] {
        guard areUsersDiscoverable else { return [] }
        return try reader.discoverableProfiles(limit: limit).map(\.withoutAddress)
    }

    /// The names of the owner of a share, which every reader of the share may know.
    func owner(of share: StoredShare) throws -> UserProfile {
        try reader.profile(of: share.zone.owner)?.withoutAddress ?? UserProfile(name: share.zone.owner)
    }

    /// The names of users in shares that the viewer reads: of their owners, of the viewer, of participants who have
    /// accepted where the viewer has, or is the owner, and of users who allow to be found. An invitation names nobody
    /// else: everybody can invite everybody.
    func people(in shares: some Sequence<Record>) throws -> [UserRecordName: UserProfile] {
        var users: Set<UserRecordName> = []
        var known: Set<UserRecordName> = []
        for record in shares {
            guard let share = record.shareDetails else { continue }
            users.formUnion(share.participants.lazy.map(\.user))
            known.insert(record.zone.owner)
            guard viewer == record.zone.owner || viewer.map(share.grants) == true else { continue }
            known.formUnion(share.participants.lazy.filter { $0.accepted != nil }.map(\.user))
        }
        if let viewer, users.contains(viewer) { known.insert(viewer) }
        for user in users.subtracting(known) where try isFound(user) { known.insert(user) }
        var people: [UserRecordName: UserProfile] = [:]
        for user in known { people[user] = try reader.profile(of: user)?.withoutAddress }
        return people
    }

    /// The user's own address, by which shares invite; nil for none.
    static func address(of user: UserRecordName, _ reader: any StoreReader) throws -> String? {
        try reader.profile(of: user)?.email
    }

    private func holder(of address: String) throws -> UserProfile? {
        try reader.profiles(withEmail: EmailAddress(address).key).first
    }

    /// True if others find a user: one who allowed it, and is not blocked.
    private func isFound(_ user: UserRecordName) throws -> Bool {
        guard areUsersDiscoverable, try reader.isDiscoverable(user) else { return false }
        return try reader.account(of: user)?.isBlocked == false
    }
}

extension UserProfile {
    fileprivate var withoutAddress: UserProfile {
        UserProfile(name: name, givenName: givenName, familyName: familyName)
    }
}
