package import CloudModel
import Matching
import RecordStore

extension RecordService {
    /// Finds records, including all that were saved before.
    /// - Throws: `BAD_REQUEST` for an unsupported query, or one that needs an index that the schema lacks.
    package func queryRecords(
        _ request: RecordQuery, in database: DatabaseScope, markers: QueryMarkers, for caller: Caller
    ) async throws -> RecordQueryPage {
        guard (1...Limits.operationsMax).contains(request.limit) else {
            throw CloudError.badRequest("resultsLimit is 1 to \(Limits.operationsMax), not \(request.limit)")
        }
        try Self.checkMayBeAsked(request.query.recordType)
        let time = now()
        let cutter = try ValueCutter(request.valueBytesMax, seals)
        return try await store.readAtLength(for: caller.user?.rawValue ?? "") {
            [store, scope, options, syncTokens] reader, hasToEnd in
            // One snapshot with the records: a change is in the page, or it comes after the token's state.
            let state = try request.marker == nil ? Self.state(of: database, for: caller, syncTokens, reader) : nil
            let place = try Self.place(request.zones, in: database, for: caller, reader)
            guard let indexes = try reader.indexes(of: request.query.recordType) else {
                return try Self.unknown(request, scope.environment, options.predicates, time, state)
            }
            let types = indexes.fields.mapValues(\.type)
            let query = try QueryValidator.query(
                request.query, types: types, time: time, allows: options.predicates)
            try Self.checkCost(of: query.predicate)
            try QueryValidator.validate(request.sorts, of: query.recordType, types: types)
            try IndexRequirements(indexes: indexes).check(query.predicate, request.sorts)
            let checked = CheckedQuery(
                type: query.recordType, database: place.database, zones: place.zones,
                isOfAllZones: request.zones == .all,
                predicate: try Self.readable(query.predicate, of: query.recordType, in: database, for: caller, reader),
                asked: try Self.asked(request, types),
                order: QueryOrder(sorts: request.sorts), limit: request.limit,
                viewer: database == .shared ? caller.user : nil)
            let start = try request.marker.map { try markers.open($0, of: checked, store: store.incarnation) }
            let page = try QueryRun(
                reader, checked, indexes, bounds: .of(caller), cutter: cutter, hasToEnd: hasToEnd,
                isVisible: { try place.shows($0) }
            ).page(after: start)
            return RecordQueryPage(
                records: page.records,
                marker: page.next.map { markers.seal($0, of: checked, store: store.incarnation) }, syncToken: state)
        }
    }

    /// The last commit that a reader sees, as a token of the caller's.
    private static func state(
        of database: DatabaseScope, for caller: Caller, _ tokens: SyncTokens, _ reader: any StoreReader
    ) throws -> String? {
        guard let user = caller.user else { return nil }
        let position = SyncPosition(sequence: try reader.settledSequence(), committed: try reader.lastCommitTime())
        return tokens.seal(position, of: .query, in: database, for: user)
    }

    private static func checkCost(of predicate: Predicate) throws(CloudError) {
        guard predicate.cost <= Limits.predicateCostMax else {
            throw .badRequest(
                "the predicate costs \(predicate.cost); at most \(Limits.predicateCostMax) is allowed: use fewer or simpler comparisons"
            )
        }
    }

    /// The predicate, in the public database with what keeps out records that only their creators may read.
    /// - Throws: `ACCESS_DENIED` when the caller may read none of the type.
    private static func readable(
        _ predicate: Predicate, of type: RecordType, in database: DatabaseScope, for caller: Caller,
        _ reader: any StoreReader
    ) throws -> Predicate {
        guard database == .public else { return predicate }
        let permissions = try reader.permissions(of: type)
        guard permissions.reader == .creator, let user = caller.user else {
            try PublicAccess(user: caller.user).require(.read, of: type, permissions, record: nil)
            return predicate
        }
        let own = Predicate.Comparison(
            field: .system(.createdUserRecordName), relation: .equals(.string(user.rawValue), []))
        return .all([predicate, .comparison(own)])
    }

    /// The predicate with `now` at one moment for all pages.
    private static func asked(
        _ request: RecordQuery, _ types: [FieldName: FieldType]
    ) throws(CloudError) -> Predicate {
        try QueryValidator.query(request.query, types: types, time: Timestamp(milliseconds: 0)).predicate
    }

    /// Checks a query; in development it may come before the first record of its type (docs/choices.md, 13).
    private static func unknown(
        _ request: RecordQuery, _ environment: CloudEnvironment, _ predicates: PredicateLanguage, _ time: Timestamp,
        _ state: String?
    ) throws -> RecordQueryPage {
        guard environment == .development else {
            throw CloudError.badRequest("production does not know the record type \(request.query.recordType)")
        }
        _ = try QueryValidator.query(request.query, types: nil, time: time, allows: predicates)
        try QueryValidator.validate(request.sorts, of: request.query.recordType, types: nil)
        return RecordQueryPage(records: [], marker: nil, syncToken: state)
    }

    private static func place(
        _ zones: RecordQuery.Zones, in database: DatabaseScope, for caller: Caller, _ reader: any StoreReader
    ) throws -> QueryPlace {
        switch (zones, database) {
        case (.one(let given), _):
            let zone = try reach(given, in: database, for: caller, reader)
            return QueryPlace(
                database: zone.database, zones: [zone.id], shared: zone.access == nil ? [:] : [zone.id: zone])
        case (.all, .shared):
            var shared: [ZoneID: ReachedZone] = [:]
            let user = try caller.signedIn(to: "the shared database")
            for (id, access) in try sharedAccess(of: user, reader) {
                guard let stored = try reader.customZone(id, in: .private) else { continue }
                shared[id] = ReachedZone(
                    id: id, asked: .shared, database: .private, stored: access.seen(stored), access: access,
                    lineage: Lineage(reader, .private, id))
            }
            return QueryPlace(database: .private, zones: shared.keys.sorted { "\($0)" < "\($1)" }, shared: shared)
        case (.all, _):
            let home = try reach(.default, in: database, for: caller, reader)
            return QueryPlace(
                database: home.database, zones: try reader.zonesWithRecords(of: home.id.owner, in: home.database),
                shared: [:])
        }
    }
}

/// The zones in which records are looked for.
private struct QueryPlace {
    /// The database that holds the zones.
    var database: DatabaseScope
    var zones: [ZoneID]
    /// The zones of other users among them.
    var shared: [ZoneID: ReachedZone]

    /// Returns true if the caller may see a record there.
    func shows(_ record: Record) throws -> Bool {
        try shared[record.zone].map { try $0.permission(for: record) != .none } ?? true
    }
}
