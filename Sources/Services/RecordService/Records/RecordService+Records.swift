import CloudMessages
package import CloudModel
import ProtocolBuffers
import RecordStore

extension RecordService {
    /// Saves and deletes records of one zone of a database, each after those of the request that it depends on
    /// (`BatchOrder`). Each operation fails by itself, and commits hold `Limits.stepBytes` or little more, so that
    /// others save between them; unless the request is atomic, which is possible in custom zones only: then one commit
    /// holds all, and one failure undoes it.
    /// - Parameter isFramework: true for a client that keeps the limits of CloudKit's framework, not those of its web
    ///   services.
    /// - Throws: errors of the whole request; `THROTTLED` while a partition that the changes or their hits go to is behind
    ///   by too much: then nothing is saved.
    package func modifyRecords(
        _ operations: [RecordOperation], in database: DatabaseScope, zone given: GivenZone = .default,
        isAtomic: Bool = true, isFramework: Bool = false, for caller: Caller
    ) async throws -> [RecordResult] {
        let user = try caller.signedIn(to: "changing records")
        try checkCount(operations.count, isFramework: isFramework)
        try checkNames(operations.compactMap(\.recordName))
        try deliveryWatch.check(user)
        let isTogether = isAtomic && given.name != .defaultZone && operations.count > 1
        var run = BatchRun(
            operations, room: isTogether ? .atomic : BatchRoom(), isTogether: isTogether,
            cuts: try await cutTexts(of: operations, for: user))
        let part = Self.part(of: database, given, for: user)
        var isFirst = true
        while run.next != nil || isFirst {
            do {
                run = try await commit(in: part) { [self, run] commit in
                    try self.apply(run, in: database, zone: given, for: caller, user, commit)
                }
            } catch let failure as AtomicFailure {
                return failure.results
            } catch let failure as BrokenCircle {
                run.breakCircle(failure.places)
            } catch let error as CloudError where !isFirst {
                // Others are saved, so that the request has an answer.
                run.fail(error)
            }
            isFirst = false
        }
        return run.all
    }

    /// Applies the operations that are left, or as many as one commit takes.
    private func apply(
        _ run: BatchRun, in database: DatabaseScope, zone given: GivenZone, for caller: Caller,
        _ user: UserRecordName, _ commit: Commit
    ) throws -> BatchRun {
        let origin = try Self.origin(of: user, caller.client, commit.transaction)
        let zone = try Self.reach(given, in: database, for: caller, commit.transaction)
        let batch = RecordBatch(
            self.zone(zone.id, in: zone.database, of: origin, access: zone.access, commit),
            assets: AssetLedger(
                storage: assets, scope: scope, database: database, user: user, time: commit.time),
            findsUsersByAddress: options.areUsersDiscoverable, stepBytes: run.isTogether ? .max : Limits.stepBytes)
        var run = run
        run.settle(in: zone.id)
        try batch.apply(&run)
        if run.isTogether, run.all.contains(where: \.isFailure) {
            throw AtomicFailure(run.all, names: run.operations.map(\.recordName))
        }
        try deliveryWatch.check(commit.tally.changes)
        return run
    }

    /// The bytes of the records of a zone together; none of a zone that the caller does not reach.
    package func bodyBytes(
        _ names: [RecordName], in database: DatabaseScope, zone given: GivenZone, for caller: Caller
    ) async throws -> Int {
        try await store.read { reader in
            do {
                let zone = try Self.reach(given, in: database, for: caller, reader)
                return try reader.bodyBytes(
                    names.map { RecordID(database: zone.database, zone: zone.id, name: $0) })
            } catch is CloudError {
                return 0
            }
        }
    }

    /// Reads records of one zone of a database by name.
    /// - Parameter valueBytesMax: bytes of a value, 1 to `Limits.recordBytesMax`; longer ones come cut. Nil leaves values
    ///   whole.
    package func lookUpRecords(
        _ names: [RecordName], in database: DatabaseScope, zone given: GivenZone = .default,
        valueBytesMax: Int? = nil, for caller: Caller
    ) async throws -> [RecordResult] {
        try checkCount(names.count)
        guard let cutter = try ValueCutter(valueBytesMax, seals) else {
            return try await store.read { try Self.lookUp(names, in: database, given, nil, for: caller, $0) }
        }
        // Records may have much more bytes in the store than in the answer.
        return try await store.readAtLength(for: caller.user?.rawValue ?? "") { reader, _ in
            try Self.lookUp(names, in: database, given, cutter, for: caller, reader)
        }
    }

    private static func lookUp(
        _ names: [RecordName], in database: DatabaseScope, _ given: GivenZone, _ cutter: ValueCutter?,
        for caller: Caller, _ reader: any StoreReader
    ) throws -> [RecordResult] {
        let zone = try reach(given, in: database, for: caller, reader)
        let found = try records(names, of: zone, cutter, reader)
        var bytes = 0
        var permissions: [RecordType: TypePermissions] = [:]
        return try names.map { name in
            guard let (record, recordBytes) = found[name] else { return .failed(name, unknown(name, zone)) }
            // Bytes of the answer: a name may be in the request more than once.
            bytes += record.answerBytes(body: recordBytes)
            guard bytes <= Limits.lookupBytesMax else { throw tooManyBytes }
            guard try zone.permission(for: record) != .none else {
                return .failed(name, unknown(name, zone))
            }
            guard zone.database == .public else { return .record(record) }
            let granted = try permissions[record.type] ?? reader.permissions(of: record.type)
            permissions[record.type] = granted
            let mayRead = PublicAccess(user: caller.user).may(.read, record, granted)
            return mayRead ? .record(record) : .failed(name, unknown(name, zone))
        }
    }

    /// A name for a record whose client gave none.
    package static func makeRecordName() -> RecordName { RecordName(trusted: UniqueName.make()) }

    /// The stored records of a zone, as far as they are there, with their bytes, cut as they are read.
    /// - Throws: `QUOTA_EXCEEDED` as soon as they have too many bytes together.
    private static func records(
        _ names: [RecordName], of zone: ReachedZone, _ cutter: ValueCutter?, _ reader: any StoreReader
    ) throws -> [RecordName: (record: Record, bytes: Int)] {
        var found: [RecordName: (record: Record, bytes: Int)] = [:]
        var bytes = 0
        try reader.records(names.map { RecordID(database: zone.database, zone: zone.id, name: $0) }) { stored in
            var kept = stored.body.count
            if cutter == nil { guard bytes + kept <= Limits.lookupBytesMax else { throw tooManyBytes } }
            let record = cutter.cut(try stored.record(), &kept)
            bytes += kept
            guard bytes <= Limits.lookupBytesMax else { throw tooManyBytes }
            found[stored.id.name] = (record, kept)
        }
        return found
    }

    static let tooManyBytes = CloudError.exceeded(
        ExceededLimit("lookupBytesMax", Limits.lookupBytesMax),
        "the records have more than \(Limits.lookupBytesMax) bytes together; look up fewer in one request")

    private static func unknown(_ name: RecordName, _ zone: ReachedZone) -> CloudError {
        CloudError(.notFound, "there is no record '\(name)' in zone \(zone.id.name)")
    }

    /// Refuses a request with too many items.
    /// - Parameter isFramework: true for the limit of CloudKit's framework.
    package func checkCount(_ count: Int, isFramework: Bool = false) throws(CloudError) {
        let limit =
            isFramework
            ? ExceededLimit("frameworkOperationsMax", Limits.frameworkOperationsMax)
            : ExceededLimit("operationsMax", Limits.operationsMax)
        guard count <= limit.value else {
            throw CloudError.exceeded(
                limit, "a request takes at most \(limit.value) operations; this one has \(count)")
        }
    }

    private func checkNames(_ names: [RecordName]) throws(CloudError) {
        var seen: Set<RecordName> = []
        for name in names where !seen.insert(name).inserted {
            throw .badRequest("the record '\(name)' stands twice in the request; send its changes one after the other")
        }
    }

    /// The origin of a change: the client's registration, if it is a device of the user. Another user's device counts
    /// as none: its existence is not revealed, and it blocks nobody.
    static func origin(
        of user: UserRecordName, _ client: DeviceID?, _ reader: some StoreReader
    ) throws -> Origin {
        let device = try client.flatMap { try reader.device($0)?.device }
        return Origin(user: user, device: client, epoch: device?.user == user ? device?.epoch : nil)
    }
}
