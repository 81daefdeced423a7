package import CloudModel
import RecordStore

extension RecordService {
    /// A page of the zones that changed.
    package struct DatabaseFeedPage: Hashable, Sendable {
        /// Each zone once, by its last change; those that are gone are marked.
        package var zones: [Zone]
        /// The token to ask with next.
        package var syncToken: String
        /// True if there is more already.
        package var moreComing: Bool
    }

    /// One of the two feeds of zones, that differ in their tokens only.
    package enum DatabaseFeed: Sendable {
        /// `changes/database`.
        case changes
        /// `zones/changes`, whose token is called `metaSyncToken`.
        case metaChanges

        var subject: SyncTokens.Subject { self == .changes ? .database : .zones }
    }

    /// The custom zones of a database that changed since a token, were made or went away; nil: all there are.
    /// - Throws: `BAD_REQUEST` in the public database or for a wrong token, `CHANGE_TOKEN_EXPIRED`.
    package func databaseChanges(
        since token: String?, limit: Int = Limits.feedPageMax, feed: DatabaseFeed = .changes,
        in database: DatabaseScope, for caller: Caller
    ) async throws -> DatabaseFeedPage {
        let user = try caller.signedIn(to: "changes of a database")
        try Self.checkHasFeed(database)
        try Self.checkLimit(limit)
        let given = try token.map { token throws(CloudError) in
            try syncTokens.open(token, of: feed.subject, in: database, for: user)
        }
        return try await store.read { [self] reader in
            if let given { try LostFutures.check(given, reader) }
            let zones = try customZones(of: user, in: database, reader)
            let horizon = try reader.zoneHorizon(of: user, in: database)
            let tombstones = try reader.zoneTombstones(of: user, in: database, after: .zero)
            let seen = (zones.map(\.changed) + tombstones.map(\.sequence) + [horizon]).max() ?? .zero
            let last = try Self.reliable(seen, above: horizon, in: database, reader)
            let position = given ?? .start(last)
            guard position.covered >= horizon else {
                throw SyncTokens.expired("deletions of zones since this token are no longer known")
            }
            let changed = zones.filter { $0.changed > position.sequence }.map { stored in
                (sequence: stored.changed, zone: zone(stored, in: database, for: user))
            }
            let gone = tombstones.filter { $0.sequence > position.covered }.map { tombstone in
                (
                    sequence: tombstone.sequence,
                    zone: Zone(id: tombstone.id, syncToken: nil, isAtomic: true, isDeleted: true)
                )
            }
            let entries = (changed + gone).sorted { $0.sequence < $1.sequence }
            let page = entries.prefix(limit)
            let isLast = page.count == entries.count
            var next = SyncPosition(sequence: max(last, position.sequence))
            if !isLast {
                let read = try Self.reliable(page.last!.sequence, above: position.sequence, in: database, reader)
                next = SyncPosition(sequence: read, began: position.began)
            }
            return DatabaseFeedPage(
                zones: page.map(\.zone), syncToken: syncTokens.seal(next, of: feed.subject, in: database, for: user),
                moreComing: !isLast)
        }
    }

    /// The place up to which a page has shown everything. The changes of a private database come in the order of their
    /// sequences. Those of a shared one are of several owners: a lower one may come after a higher one was seen, so
    /// that zones above the settled sequence are listed again.
    private static func reliable(
        _ seen: CommitSequence, above low: CommitSequence, in database: DatabaseScope, _ reader: any StoreReader
    ) throws -> CommitSequence {
        guard database == .shared else { return seen }
        return max(low, min(seen, try reader.settledSequence()))
    }

    static func checkHasFeed(_ database: DatabaseScope) throws(CloudError) {
        guard database != .public else {
            throw .badRequest("the public database has no change feed; use records/query or a subscription")
        }
    }

    static func checkLimit(_ limit: Int) throws(CloudError) {
        guard (1...Limits.feedPageMax).contains(limit) else {
            throw .badRequest("resultsLimit is 1 to \(Limits.feedPageMax), not \(limit)")
        }
    }
}
