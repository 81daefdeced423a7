import CloudModel
import RecordStore

/// A zone that the caller of a request may use, and where its records are stored.
struct ReachedZone {
    let id: ZoneID
    /// The database that the request named.
    let asked: DatabaseScope
    /// The database that holds the records: the shared one is a view of private ones.
    let database: DatabaseScope
    /// The zone as it is stored; nil for default zones.
    let stored: StoredZone?
    /// The caller's rights in a zone of another user; nil in the caller's own.
    var access: SharedAccess?
    /// The records above its records, where they decide the caller's rights.
    var lineage: Lineage?

    /// The caller's rights on a record of the zone.
    func permission(for record: Record) throws -> Share.Permission {
        guard let access, let lineage else { return .readWrite }
        return access.permission(for: try lineage.line(of: record))
    }
}

extension RecordService {
    /// Finds the zone that a request names.
    /// - Throws: `ZONE_NOT_FOUND` for one that is not there or not the caller's to see, `AUTHENTICATION_REQUIRED` for a
    ///   private or shared one without a user.
    static func reach(
        _ given: GivenZone, in database: DatabaseScope, for caller: Caller, _ reader: any StoreReader
    ) throws -> ReachedZone {
        switch database {
        case .public:
            guard given.name == .defaultZone, given.owner == nil || given.owner == .defaultOwner else {
                throw CloudError(
                    .zoneNotFound, "there is no zone \(given): the public database has only \(ZoneName.defaultZone)")
            }
            return ReachedZone(id: .publicDefault, asked: database, database: database, stored: nil)
        case .private:
            let user = try caller.signedIn(to: "a private database")
            guard given.owner == nil || given.owner == user else {
                throw CloudError(
                    .zoneNotFound,
                    "there is no zone \(given) in your private database; what others share with you is in the shared one"
                )
            }
            let id = ZoneID(name: given.name, owner: user)
            guard id.name != .defaultZone else {
                return ReachedZone(id: id, asked: database, database: database, stored: nil)
            }
            guard let stored = try reader.customZone(id, in: database) else { throw missing(given) }
            return ReachedZone(id: id, asked: database, database: database, stored: stored)
        case .shared:
            return try reachShared(given, for: caller, reader)
        }
    }

    private static func reachShared(
        _ given: GivenZone, for caller: Caller, _ reader: any StoreReader
    ) throws -> ReachedZone {
        guard given.name != .defaultZone else {
            throw CloudError.badRequest(
                "the shared database has no default zone; records here live in zones shared with you")
        }
        let user = try caller.signedIn(to: "the shared database")
        guard let owner = given.owner else { throw missing(given) }
        let id = ZoneID(name: given.name, owner: owner)
        guard let access = try SharedAccess(of: user, in: id, reader),
            let stored = try reader.customZone(id, in: .private)
        else { throw missing(given) }
        return ReachedZone(
            id: id, asked: .shared, database: .private, stored: access.seen(stored), access: access,
            lineage: Lineage(reader, .private, id))
    }

    private static func missing(_ given: GivenZone) -> CloudError {
        CloudError(.zoneNotFound, "there is no zone \(given); zones/list shows those there are")
    }
}
