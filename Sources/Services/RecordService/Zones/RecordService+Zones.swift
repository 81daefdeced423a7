import CloudMessages
package import CloudModel
import RecordStore
import Waiting

extension RecordService {
    /// Lists the zones of a database that the caller has: the default one, and custom ones by name.
    package func listZones(in database: DatabaseScope, for caller: Caller) async throws -> [Zone] {
        if database == .public { return [Self.defaultZone(.publicDefault)] }
        let user = try caller.signedIn(to: "the zones of a database")
        return try await store.read { [self] reader in
            let custom = try customZones(of: user, in: database, reader).map { zone($0, in: database, for: user) }
            guard database == .private else { return custom }
            return [Self.defaultZone(ZoneID(name: .defaultZone, owner: user))] + custom
        }
    }

    /// Zones by name; one that is not there fails for itself.
    package func lookUpZones(
        _ zones: [GivenZone], in database: DatabaseScope, for caller: Caller
    ) async throws -> [ZoneResult] {
        try checkCount(zones.count)
        if database != .public { _ = try caller.signedIn(to: "the zones of a database") }
        return try await store.read { [self] reader in
            try zones.map { given in
                do {
                    let reached = try Self.reach(given, in: database, for: caller, reader)
                    guard let stored = reached.stored, let user = caller.user else {
                        return .zone(Self.defaultZone(reached.id))
                    }
                    return .zone(zone(stored, in: database, for: user))
                } catch let error as CloudError {
                    return .failed(given, error)
                }
            }
        }
    }

    /// Creates and deletes zones of the caller's private database, in order; each operation fails by itself. Creating
    /// an existing zone changes nothing; deleting the default zone empties it. In the shared database a deletion leaves
    /// the shares of the zone.
    /// - Throws: `BAD_REQUEST` in another database, or if a zone is in the request twice.
    package func modifyZones(
        _ operations: [ZoneOperation], in database: DatabaseScope, for caller: Caller
    ) async throws -> [ZoneResult] {
        let user = try caller.signedIn(to: "changing zones")
        guard database == .private || database == .shared && operations.allSatisfy({ $0.kind == .delete }) else {
            throw CloudError.badRequest(
                "zones are made and deleted in the private database, not in the \(database) one; in the shared one a deletion leaves the zone"
            )
        }
        try checkCount(operations.count)
        var seen: Set<GivenZone> = []
        for operation in operations {
            let owner = database == .shared ? operation.zone.owner : nil
            guard seen.insert(GivenZone(name: operation.zone.name, owner: owner)).inserted else {
                throw CloudError.badRequest(
                    "the zone '\(operation.zone.name)' stands twice in the request; send one operation a zone")
            }
        }
        if database == .shared { return try await leaveZones(operations.map(\.zone), for: caller) }
        defer { if operations.contains(where: { $0.kind == .delete }) { droppedBell.ring(0) } }
        return try await commit(in: .database(user)) { [self] commit in
            let batch = ZoneBatch(commit, origin: try Self.origin(of: user, caller.client, commit.transaction))
            return try operations.map { operation in
                do {
                    switch operation.kind {
                    case .create:
                        guard let stored = try batch.create(operation.zone) else {
                            return .zone(Self.defaultZone(ZoneID(name: .defaultZone, owner: user)))
                        }
                        return .zone(zone(stored, in: database, for: user))
                    case .delete:
                        let id = try batch.delete(operation.zone)
                        return .zone(
                            Zone(id: id, syncToken: nil, isAtomic: id.name != .defaultZone, isDeleted: true))
                    }
                } catch let error as CloudError {
                    return .failed(operation.zone, error)
                }
            }
        }
    }

    /// The custom zones that a user sees in a database, by owner and name.
    func customZones(
        of user: UserRecordName, in database: DatabaseScope, _ reader: any StoreReader
    ) throws -> [StoredZone] {
        guard database == .shared else { return try reader.customZones(of: user, in: .private) }
        return try Self.sharedAccess(of: user, reader).compactMap { id, access in
            try reader.customZone(id, in: .private).map(access.seen)
        }
    }

    /// The zones that a user takes part in, with what the user may do there, by owner and name; read at once.
    static func sharedAccess(
        of user: UserRecordName, _ reader: any StoreReader
    ) throws -> [(zone: ZoneID, access: SharedAccess)] {
        let accepted = try reader.acceptedShares(of: user, in: nil)
        var found: [(zone: ZoneID, access: SharedAccess)] = []
        var rest = accepted[...]
        while let zone = rest.first?.zone {
            let shares = rest.prefix { $0.zone == zone }
            rest = rest.dropFirst(shares.count)
            if let access = SharedAccess(shares) { found.append((zone, access)) }
        }
        return found
    }

    /// A custom zone as it is answered, with the token of its present state.
    func zone(_ stored: StoredZone, in database: DatabaseScope, for user: UserRecordName) -> Zone {
        let subject = SyncTokens.Subject.zone(stored.id, created: stored.created)
        let token = syncTokens.seal(
            SyncPosition(sequence: stored.changed), of: subject, in: database, for: user)
        return Zone(id: stored.id, syncToken: token, isAtomic: true, share: stored.share)
    }

    private static func defaultZone(_ id: ZoneID) -> Zone { Zone(id: id, syncToken: nil, isAtomic: false) }
}
