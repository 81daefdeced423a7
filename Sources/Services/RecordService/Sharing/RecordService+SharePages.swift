package import CloudModel
import RecordStore

extension RecordService {
    /// The part of a share that its page tells.
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
        /// Indicates whether a whole zone is shared, or a record with what is below it.
        package var isZone: Bool
        /// The part of the reader in it.
        package var part: Part
        /// The access of anyone who has the address.
        package var publicPermission: Share.Permission
    }

    /// The share of a short GUID as its page tells it: to a reader who has not signed in only what is open to everybody who has
    /// the address; nil where nothing is told.
    package func sharePreview(_ shortGUID: String, for user: UserRecordName?) async throws -> SharePreview? {
        try await store.read { [seals] reader in
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
                owner: try reader.profile(of: share.zone.owner) ?? UserProfile(name: share.zone.owner),
                isZone: share.details.root == nil, part: part, publicPermission: share.details.publicPermission)
        }
    }

    private static func title(_ value: FieldValue?) -> String? {
        switch value {
        case .string(let text)?, .encrypted(.open(.string(let text)))?: text
        default: nil
        }
    }

    /// Names of the owners and participants of shares, as far as they are known.
    package func people(of shares: [Record]) async throws -> [UserRecordName: UserProfile] {
        var users: Set<UserRecordName> = []
        for record in shares {
            guard let share = record.shareDetails else { continue }
            users.insert(record.zone.owner)
            for participant in share.participants { users.insert(participant.user) }
        }
        guard !users.isEmpty else { return [:] }
        return try await store.read { [users] reader in
            var people: [UserRecordName: UserProfile] = [:]
            for user in users { people[user] = try reader.profile(of: user) }
            return people
        }
    }
}
