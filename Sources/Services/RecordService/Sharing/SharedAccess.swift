import CloudModel
import RecordStore

/// The rights of a user in a zone of another, by all shares there that the user has accepted.
struct SharedAccess {
    /// One share that the user has accepted.
    struct Grant {
        var share: RecordName
        /// The root record of the share; nil is the whole zone.
        var root: RecordName?
        var permission: Share.Permission
        /// The change from which on earlier reads may lack records or have too many.
        var since: CommitSequence
    }

    let grants: [Grant]
    /// The user's rights on all records of the zone.
    let wholeZone: Share.Permission
    /// The user's rights on these records and those below them.
    private let roots: [RecordName: Share.Permission]
    private let shares: Set<RecordName>

    /// Reads the shares that the user has accepted; nil when nothing is shared with the user.
    init?(of user: UserRecordName, in zone: ZoneID, _ reader: any StoreReader) throws {
        self.init(try reader.acceptedShares(of: user, in: zone))
    }

    /// The rights that shares give; nil when they permit nothing.
    /// - Parameter shares: all in the zone that the user has accepted.
    init?(_ shares: some Collection<AcceptedShare>) {
        grants = shares.filter { $0.permission != .none }.map { share in
            Grant(
                share: share.name, root: share.root, permission: share.permission,
                since: max(share.accepted, share.epoch))
        }
        if grants.isEmpty { return nil }
        wholeZone = grants.filter { $0.root == nil }.map(\.permission).max() ?? .none
        roots = Dictionary(
            grants.compactMap { grant in grant.root.map { ($0, grant.permission) } }, uniquingKeysWith: max)
        self.shares = Set(grants.map(\.share))
    }

    /// The user's rights on a record: the most that a share of its zone, of it or of one above it grants.
    /// - Parameter line: the record and those above it.
    func permission(for line: [RecordName]) -> Share.Permission {
        var best = wholeZone
        if let record = line.first, shares.contains(record) { best = max(best, .readOnly) }
        for record in line { best = max(best, roots[record] ?? .none) }
        return best
    }

    /// Returns true if a record is the root of a share with the user.
    func isRoot(_ name: RecordName) -> Bool { roots[name] != nil }

    /// Returns true if a deletion is of something that was shared with the user.
    func concerns(_ entry: FeedRecord) -> Bool {
        wholeZone != .none || entry.roots.contains(where: isRoot)
            || shares.contains(entry.name)
    }

    /// The zone as the user sees it: tokens from before the last change of the share are of another epoch.
    func seen(_ zone: StoredZone) -> StoredZone {
        var zone = zone
        let since = grants.map(\.since).max() ?? .zero
        zone.created = max(zone.created, since)
        zone.changed = max(zone.changed, since)
        zone.share = zone.share.flatMap { shares.contains($0) ? $0 : nil }
        return zone
    }
}
