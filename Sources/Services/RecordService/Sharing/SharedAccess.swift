import CloudModel
import RecordStore

/// What a user may do in a zone of another, by all shares there that the user has accepted. Whoever is in none has none.
struct SharedAccess {
    /// One share that the user has accepted.
    struct Grant {
        var share: RecordName
        /// Nil is the whole zone.
        var root: RecordName?
        var permission: Share.Permission
        /// From here on, what was read before may lack records or hold too many.
        var since: Sequence
    }

    let grants: [Grant]

    /// Nil when nothing there is shared with the user.
    init?(of user: UserRecordName, in zone: ZoneID, _ reader: any StoreReader) throws {
        grants = try reader.shares(in: zone).compactMap { share in
            let mine = share.details.participants.first { $0.user == user }
            guard let mine, let accepted = mine.accepted, mine.permission != .none else { return nil }
            return Grant(
                share: share.name, root: share.details.root, permission: mine.permission,
                since: max(accepted, share.epoch))
        }
        if grants.isEmpty { return nil }
    }

    /// What the user may do with a record: the most that a share of its zone, of it or of one above it grants.
    func permission(
        for record: Record, _ find: (RecordName) throws -> Record?
    ) throws -> Share.Permission {
        var best = wholeZone
        if record.type == .share, grants.contains(where: { $0.share == record.name }) { best = max(best, .readOnly) }
        var seen: Set<RecordName> = []
        var next: Record? = record
        while let current = next, best != .readWrite, seen.insert(current.name).inserted {
            for grant in grants where grant.root == current.name { best = max(best, grant.permission) }
            next = try current.parent.flatMap(find)
        }
        return best
    }

    /// What the user may do with all records of the zone.
    var wholeZone: Share.Permission { grants.filter { $0.root == nil }.map(\.permission).max() ?? .none }

    /// Whether a record is the top of what is shared with the user.
    func isRoot(_ name: RecordName) -> Bool { grants.contains { $0.root == name } }

    /// Whether a deletion is of something that was shared with the user.
    func concerns(_ entry: FeedRecord) -> Bool {
        wholeZone != .none || entry.roots.contains(where: isRoot)
            || grants.contains { $0.share == entry.name }
    }

    /// The zone as the user sees it: tokens from before the last change of what is shared are of another life of it.
    func seen(_ zone: StoredZone) -> StoredZone {
        var zone = zone
        let since = grants.map(\.since).max() ?? .zero
        zone.created = max(zone.created, since)
        zone.changed = max(zone.changed, since)
        return zone
    }
}
