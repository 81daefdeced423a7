import CloudModel
import RecordStore

/// The present rights of a user on earlier changes. A change has the rights of its own time, which may have been taken
/// back since.
final class PresentRights {
    private let user: UserRecordName
    private let reader: any StoreReader
    private var permissions: [RecordType: TypePermissions] = [:]
    private var zones: [ZoneID: (access: SharedAccess?, lineage: Lineage)] = [:]

    init(of user: UserRecordName, _ reader: any StoreReader) {
        self.user = user
        self.reader = reader
    }

    /// Returns true if the user may read the changed record or zone now; one that was deleted, as it was last.
    func allow(_ change: Change) throws -> Bool {
        switch change.database {
        case .private: return change.affectedZone?.owner == user
        case .public:
            guard let record = change.matched else { return false }
            return try permissions(of: record.type).allow(.read, to: PublicAccess(user: user).role(for: record))
        case .shared:
            guard let zone = change.affectedZone else { return false }
            let (access, lineage) = try shared(zone)
            guard let access else { return false }
            guard let record = change.matched else { return true }
            let isThere = try lineage.link(of: record.name) != .missing
            let line = try isThere ? lineage.line(from: record.name) : lineage.line(of: record)
            return access.permission(for: line) != .none
        }
    }

    private func permissions(of type: RecordType) throws -> TypePermissions {
        if let known = permissions[type] { return known }
        let found = try reader.permissions(of: type)
        permissions[type] = found
        return found
    }

    private func shared(_ zone: ZoneID) throws -> (access: SharedAccess?, lineage: Lineage) {
        if let known = zones[zone] { return known }
        let found = (try SharedAccess(of: user, in: zone, reader), Lineage(reader, .private, zone))
        zones[zone] = found
        return found
    }
}
