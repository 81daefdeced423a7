import CloudMessages
package import CloudModel
import ProtocolBuffers
import RecordStore

extension RecordService {
    /// Saves and deletes records of one zone of a database, in order; all that succeed share one commit. Each
    /// operation stands alone, unless the request is atomic, which is possible in custom zones only: then one that fails
    /// undoes all.
    /// - Throws: what concerns the whole request; `THROTTLED` while delivery is behind by too much.
    package func modifyRecords(
        _ operations: [RecordOperation], in database: DatabaseScope, zone given: GivenZone = .default,
        isAtomic: Bool = true, for caller: Caller
    ) async throws -> [RecordResult] {
        let user = try caller.signedIn(to: "changing records")
        try checkCount(operations.count)
        try checkNames(operations.compactMap(\.recordName))
        try deliveryWatch.check()
        do {
            return try await commit { [self] commit in
                let origin = try Self.origin(of: user, caller.client, commit.transaction)
                let zone = try Self.reach(given, in: database, for: caller, commit.transaction)
                let batch = RecordBatch(
                    self.zone(zone.id, in: zone.database, of: origin, access: zone.access, commit),
                    assets: AssetLedger(
                        storage: assets, scope: scope, database: database, user: user, time: commit.time),
                    findsUsersByAddress: options.areUsersDiscoverable)
                let results = try batch.apply(all: operations.map { $0.settled(in: zone.id) })
                if isAtomic, zone.id.name != .defaultZone, results.contains(where: \.isFailure) {
                    throw AtomicFailure(results, names: operations.map(\.recordName))
                }
                return results
            }
        } catch let failure as AtomicFailure {
            return failure.results
        }
    }

    /// Reads records of one zone of a database by name.
    package func lookUpRecords(
        _ names: [RecordName], in database: DatabaseScope, zone given: GivenZone = .default, for caller: Caller
    ) async throws -> [RecordResult] {
        try checkCount(names.count)
        return try await store.read { reader in
            let zone = try Self.reach(given, in: database, for: caller, reader)
            let found = try Self.records(names, of: zone, reader)
            var bytes = 0
            var permissions: [RecordType: TypePermissions] = [:]
            return try names.map { name in
                guard let stored = found[name] else { return .failed(name, Self.unknown(name, zone)) }
                // Of the answer: a name may stand in the request more than once.
                bytes += stored.body.count
                guard bytes <= Limits.lookupBytesMax else { throw Self.tooManyBytes }
                let record = try stored.record()
                guard try zone.permission(for: record) != .none else {
                    return .failed(name, Self.unknown(name, zone))
                }
                guard zone.database == .public else { return .record(record) }
                let granted = try permissions[record.type] ?? reader.permissions(of: record.type)
                permissions[record.type] = granted
                do {
                    try PublicAccess(user: caller.user).require(.read, of: record.type, granted, record: record)
                    return .record(record)
                } catch let error as CloudError {
                    return .failed(name, error)
                }
            }
        }
    }

    /// A name for a record whose client gave none.
    package static func makeRecordName() -> RecordName { RecordName(trusted: UniqueName.make()) }

    /// The stored records of a zone, as far as they are there.
    /// - Throws: `QUOTA_EXCEEDED` as soon as they have too many bytes together.
    private static func records(
        _ names: [RecordName], of zone: ReachedZone, _ reader: any StoreReader
    ) throws -> [RecordName: StoredRecord] {
        var found: [RecordName: StoredRecord] = [:]
        var bytes = 0
        try reader.records(names.map { RecordID(database: zone.database, zone: zone.id, name: $0) }) { record in
            bytes += record.body.count
            guard bytes <= Limits.lookupBytesMax else { throw tooManyBytes }
            found[record.id.name] = record
        }
        return found
    }

    private static let tooManyBytes = CloudError(
        .quotaExceeded,
        "the records have more than \(Limits.lookupBytesMax) bytes together; look up fewer in one request")

    private static func unknown(_ name: RecordName, _ zone: ReachedZone) -> CloudError {
        CloudError(.notFound, "there is no record '\(name)' in zone \(zone.id.name)")
    }

    /// Refuses a request with too many items.
    package func checkCount(_ count: Int) throws(CloudError) {
        guard count <= Limits.operationsMax else {
            throw CloudError(
                .quotaExceeded, "a request takes at most \(Limits.operationsMax) operations; this one has \(count)")
        }
    }

    private func checkNames(_ names: [RecordName]) throws(CloudError) {
        var seen: Set<RecordName> = []
        for name in names where !seen.insert(name).inserted {
            throw .badRequest("the record '\(name)' stands twice in the request; send its changes one after the other")
        }
    }

    /// The origin of a change: the client's registration, if it is a device of the user's. Another user's device
    /// counts as what is no device at all: nobody learns of it, and nobody is stopped by whoever took a name first.
    static func origin(
        of user: UserRecordName, _ client: DeviceID?, _ reader: some StoreReader
    ) throws -> Origin {
        let device = try client.flatMap { try reader.device($0)?.device }
        return Origin(user: user, device: client, epoch: device?.user == user ? device?.epoch : nil)
    }
}
