package import CloudModel
package import RecordStore

extension RecordService {
    /// The part of a share that its page shows.
    package struct SharePreview: Hashable, Sendable {
        /// The part of the reader in it.
        package enum Part: Hashable, Sendable {
            /// The reader has not signed in.
            case unknown
            case owner
            /// May take part; `isAccepted` once the reader does.
            case participant(Share.Permission, isAccepted: Bool)
        }

        /// The title that the owner gave it.
        package var title: String?
        /// The owner, with names as far as they are known.
        package var owner: UserProfile
        /// True if a whole zone is shared, false for a record and its descendants.
        package var isZone: Bool
        /// The part of the reader in it.
        package var part: Part
        /// The access of anyone who has the address.
        package var publicPermission: Share.Permission
    }

    /// The share of a short GUID as its page shows it: without a sign-in only shares that are open to everybody with
    /// the address; nil if nothing is shown.
    package func sharePreview(_ shortGUID: String, for user: UserRecordName?) async throws -> SharePreview? {
        try await store.read { [self] reader in
            let share: StoredShare
            if let user {
                do { share = try Self.share(shortGUID, for: user, reader) } catch is CloudError { return nil }
            } else {
                guard let found = try reader.share(shortGUID: shortGUID), found.details.publicPermission != .none
                else { return nil }
                share = found
            }
            var part = SharePreview.Part.unknown
            if let user {
                let invited = try Self.invited(user, to: share, reader)
                let own = share.details.participants.first { $0.user == user || $0.user == invited }
                part =
                    share.zone.owner == user
                    ? .owner
                    : .participant(
                        own?.permission ?? share.details.publicPermission, isAccepted: own?.accepted != nil)
            }
            let record = try reader.record(
                RecordID(database: .private, zone: share.zone, name: share.name))?.record()
            let opened = try record.map { try seals.opened($0, wanted: [.shareTitle]) }
            return SharePreview(
                title: Self.title(opened?.fields[.shareTitle]),
                owner: try profiles(reader, for: user).owner(of: share),
                isZone: share.details.root == nil, part: part, publicPermission: share.details.publicPermission)
        }
    }

    /// Returns true if a share takes a user who signs in for the first time: it is open to everybody with its short
    /// GUID, or invited the user's address.
    package static func takesNewUser(
        _ shortGUID: String, with address: EmailAddress?, _ reader: any StoreReader
    ) throws -> Bool {
        guard let share = try reader.share(shortGUID: shortGUID) else { return false }
        guard share.details.publicPermission == .none else { return true }
        guard let address, let invited = try reader.user(.invited(address.key)) else { return false }
        return share.details.participants.contains { $0.user == invited && $0.permission != .none }
    }

    private static func title(_ value: FieldValue?) -> String? {
        switch value {
        case .string(let text)?, .encrypted(.open(.string(let text)))?: text
        default: nil
        }
    }

    /// Names of the owners and participants of shares, as far as a user who reads the shares may know them.
    package func people(
        of shares: [Record], for viewer: UserRecordName?
    ) async throws -> [UserRecordName: UserProfile] {
        let shares = shares.filter { $0.shareDetails != nil }
        guard !shares.isEmpty else { return [:] }
        return try await store.read { [self] in try profiles($0, for: viewer).people(in: shares) }
    }
}
