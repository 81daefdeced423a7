import CloudMessages
import CloudModel
import Cryptography
import EventLog
import Identity
import Matching
import ProtocolBuffers
import RecordStore
import SQLite
import SQLiteRecordStore
import Synchronization
import TestSupport

@testable import RecordService

/// A record service over a store of its own, with a clock that a test drives; nothing is published.
final class RecordServiceRig: Sendable {
    let service: RecordService
    let identity: IdentityService
    let alice: Caller
    let bob: Caller
    let keys = KeyRing.generate()
    let folder = TemporaryFolder()
    private let clock: Clock

    /// The topics of a service in development.
    static let layout = TopicLayout(
        ContainerEnvironment(container: ContainerIdentifier(trusted: "iCloud.test"), environment: .development),
        partitions: 4)

    /// A clock that moves only by `move`.
    private final class Clock: Sendable {
        let time = Mutex(Timestamp(milliseconds: 1_700_000_000_000))
        /// The machine's steady clock.
        let steady = Mutex(Duration.zero)

        /// Clocks of a process that begins now.
        var serviceClock: ServiceClock { ServiceClock(steady: { self.steady.withLock { $0 } }, lookMax: nil) }
    }

    init(
        _ environment: CloudEnvironment = .development, subscriptionsMax: Int = 1000,
        assets: (any AssetStore)? = nil, predicates: PredicateLanguage = .fanfare, quotas: UsageQuotas = UsageQuotas(),
        deviceSilenceMax: Duration? = nil, log: (any EventLog)? = nil, store: (any RecordStore)? = nil
    ) async throws {
        let scope = ContainerEnvironment(
            container: ContainerIdentifier(trusted: "iCloud.test"), environment: environment)
        let store = try store ?? TestStores.records(in: folder)
        let clock = Clock()
        self.clock = clock
        var options = RecordService.Options(subscriptionsMax: subscriptionsMax)
        options.predicates = predicates
        options.quotas = quotas
        options.deviceSilenceMax = deviceSilenceMax
        service = RecordService(
            layout: TopicLayout(scope, partitions: Self.layout.partitions), store: store, log: log,
            assets: assets.map { [keys] in AssetStorage($0, keys: keys) }, options: options, keys: keys,
            now: { clock.time.withLock { $0 } }, serviceClock: clock.serviceClock)
        var identityOptions = IdentityService.Options()
        identityOptions.allowsDevelopmentSignIn = true
        identity = IdentityService(beside: service, options: identityOptions)
        alice = Caller(user: UserRecordName.sample("a"))
        bob = Caller(user: UserRecordName.sample("b"))
        try await store.write { [alice, bob] transaction in
            try transaction.addUser(alice.user!, .development("alice"), at: Timestamp(milliseconds: 0))
            try transaction.addUser(bob.user!, .development("bob"), at: Timestamp(milliseconds: 0))
        }
    }

    var now: Timestamp { clock.time.withLock { $0 } }

    /// Lets time pass.
    func move(by duration: Duration) {
        clock.steady.withLock { $0 += duration }
        leap(by: duration)
    }

    /// Another process on the same store, some time after the one before has ended.
    func restarted(after away: Duration = .zero, _ options: RecordService.Options? = nil) -> RecordService {
        leap(by: away)
        return RecordService(
            layout: service.layout, store: service.store, log: service.log, assets: service.assets,
            options: options ?? service.options, keys: keys, now: service.now, serviceClock: clock.serviceClock)
    }

    /// Sets the wall clock to another time.
    func leap(by duration: Duration) {
        clock.time.withLock { time in
            time = Timestamp(milliseconds: time.milliseconds + duration.components.seconds * 1000)
        }
    }

    private var file: SQLiteConfiguration { SQLiteConfiguration(path: folder.path("store.sqlite"), isDurable: false) }

    /// What users have, from what there is.
    func recount(_ counting: UsageCount) async throws -> [UserRecordName: Usage] { try counting.count(in: file) }

    /// Makes the store one from before what users have was counted.
    func forgetUsage() async throws {
        try SQLiteConnection.open(file).execute("DELETE FROM usage; DELETE FROM usage_state")
    }

    /// The store's file once more, counted if it is not.
    func openAgain(_ counting: UsageCount) throws -> SQLiteRecordStore {
        try SQLiteRecordStore(file, role: .visitor, counting: counting)
    }

    /// The rows that wait to be published.
    func outbox() async throws -> [OutboxRow] {
        try await service.store.read { try $0.outbox(after: .zero, limit: 10_000, bytesMax: .max) }
    }

    /// The changes that wait to be published, with the events that they wait for.
    func changes() async throws -> [Change] {
        let rows = try await outbox()
        var last = LastSubscription(after: try await service.store.read { try $0.lastRemovedSubscription() })
        return try last.filled(rows).compactMap { row in
            guard case .changes = row.destination else { return nil }
            return try ChangeEvent(decoding: row.value!).change()
        }
    }

    func lastSequence() async throws -> Int64 { try await service.store.read { try $0.settledSequence().rawValue } }

    func fieldTypes(_ type: String) async throws -> [FieldName: FieldType]? {
        try await service.store.read { try $0.fieldTypes(of: RecordType(trusted: type)) }
    }

    /// Removes a user as `fanfare users delete` does.
    func removeUser(_ user: UserRecordName) async throws -> RecordService.UserRemoval {
        try await identity.removeUser(user)
        return try await service.removeAll(of: user)
    }

    // MARK: Records

    /// Applies one operation and returns its outcome.
    func apply(
        _ operation: RecordOperation, in database: DatabaseScope = .public, zone: GivenZone = .default,
        as caller: Caller? = nil
    ) async throws -> Outcome {
        Outcome(try await service.modifyRecords([operation], in: database, zone: zone, for: caller ?? alice)[0])
    }

    /// Applies the operations of one request and returns their outcomes.
    func apply(
        _ operations: [RecordOperation], in database: DatabaseScope = .public, zone: GivenZone = .default,
        isAtomic: Bool = true, as caller: Caller? = nil
    ) async throws -> [Outcome] {
        try await service.modifyRecords(
            operations, in: database, zone: zone, isAtomic: isAtomic, for: caller ?? alice
        ).map(Outcome.init)
    }

    /// Removes a record of a private zone as versions did that left those below it without a parent.
    func removeAsBefore(_ name: String, in zone: ZoneID) async throws {
        try await service.store.write { [self] transaction in
            try transaction.deleteRecord(
                RecordID(database: .private, zone: zone, name: RecordName(trusted: name)),
                at: try transaction.nextSequence(), now, roots: [])
        }
    }

    func lookUp(
        _ name: String, in database: DatabaseScope = .public, zone: GivenZone = .default, as caller: Caller? = nil
    ) async throws -> Record? {
        let results = try await service.lookUpRecords(
            [RecordName(trusted: name)], in: database, zone: zone, for: caller ?? alice)
        if case .record(let record) = results[0] { return record }
        return nil
    }

    // MARK: Zones

    /// Makes or deletes a zone of the caller's.
    func zone(
        _ kind: ZoneOperation.Kind, _ zone: GivenZone, as caller: Caller? = nil
    ) async throws -> ZoneResult {
        try await service.modifyZones(
            [ZoneOperation(kind: kind, zone: zone)], in: .private, for: caller ?? alice)[0]
    }

    /// One page of a zone's changes.
    func page(
        _ zone: GivenZone, since token: String? = nil, limit: Int = 200, types: [RecordType]? = nil,
        reverse: Bool = false, in database: DatabaseScope = .private, as caller: Caller? = nil
    ) async throws -> ZoneFeedPage {
        let request = ZoneFeedRequest(
            zone: zone, syncToken: token, limit: limit, recordTypes: types, isReverse: reverse)
        switch try await service.zoneChanges([request], in: database, for: caller ?? alice)[0] {
        case .page(let page): return page
        case .failed(_, let error): throw error
        }
    }

    // MARK: Subscriptions

    func apply(
        _ operation: SubscriptionOperation, in database: DatabaseScope = .public, as caller: Caller? = nil
    ) async throws -> SubscriptionOutcome {
        SubscriptionOutcome(try await service.modifySubscriptions([operation], in: database, for: caller ?? alice)[0])
    }
}

/// The outcome of an operation on a record, easy to compare.
struct Outcome: CustomStringConvertible {
    var record: Record?
    var deleted: RecordName?
    var error: CloudError?

    init(_ result: RecordResult) {
        switch result {
        case .record(let record): self.record = record
        case .deleted(let name): deleted = name
        case .failed(_, let error): self.error = error
        }
    }

    var code: CloudErrorCode? { error?.code }
    var description: String { error.map { "\($0)" } ?? record.map { "\($0)" } ?? "deleted" }
}

/// The outcome of an operation on a subscription, easy to compare.
struct SubscriptionOutcome {
    var subscription: Subscription?
    var test: SubscriptionTest?
    var deleted: SubscriptionID?
    var error: CloudError?

    init(_ result: SubscriptionResult) {
        switch result {
        case .subscription(let subscription): self.subscription = subscription
        case .deleted(let id): deleted = id
        case .tested(let test): self.test = test
        case .failed(_, let error): self.error = error
        }
    }

    var code: CloudErrorCode? { error?.code }
}

extension RecordOperation {
    /// An operation on a record of the type `T`.
    /// A save with another value each time, as one that changes nothing notifies nobody.
    static func touch(_ name: String) -> RecordOperation {
        .on(name, .forceUpdate, ["touched": .int64(Int64(touches.add(1, ordering: .relaxed).newValue))])
    }

    static func on(
        _ name: String?, _ kind: Kind, tag: String? = nil, type: String? = "T", _ fields: [String: FieldValue?] = [:],
        isTypeExplicit: Bool = false
    ) -> RecordOperation {
        RecordOperation(
            kind: kind, recordName: name.map { RecordName(trusted: $0) },
            recordType: type.map { RecordType(trusted: $0) },
            changeTag: tag,
            fields: Dictionary(
                uniqueKeysWithValues: fields.map {
                    (FieldName(trusted: $0), $1.map { GivenValue($0, isTypeExplicit: isTypeExplicit) })
                }))
    }
}

extension GivenZone: ExpressibleByStringLiteral {
    package init(stringLiteral name: String) { self.init(name: ZoneName(trusted: name)) }
}

extension ZoneResult {
    var zone: Zone? { if case .zone(let zone) = self { zone } else { nil } }
    var code: CloudErrorCode? { if case .failed(_, let error) = self { error.code } else { nil } }
}

extension ZoneFeedPage {
    /// The changes in short: the names, with `-` before deleted ones.
    var names: [String] {
        changes.map { change in
            switch change {
            case .saved(let record): record.name.rawValue
            case .deleted(let name, _): "-\(name)"
            }
        }
    }
}

extension SubscriptionDraft {
    /// A draft that watches records of the type `T`.
    static func draft(
        _ id: String?, _ filters: [GivenFilter] = [], type: String = "T", zone: ZoneName? = nil,
        firesOn: FiringEvents = [.create, .update, .delete], firesOnce: Bool = false,
        info: NotificationInfo? = NotificationInfo(alertBody: "new")
    ) -> SubscriptionDraft {
        SubscriptionDraft(
            id: id.map { SubscriptionID(trusted: $0) },
            query: GivenQuery(recordType: RecordType(trusted: type), filters: filters),
            zone: zone.map { GivenZone(name: $0) }, firesOn: firesOn, firesOnce: firesOnce, notificationInfo: info)
    }
}

extension GivenFilter {
    static func field(
        _ name: String, _ comparator: Comparator, _ value: FieldValue, isTypeExplicit: Bool = false
    ) -> GivenFilter {
        GivenFilter(
            field: .field(FieldName(trusted: name)), comparator: comparator,
            operand: .value(GivenValue(value, isTypeExplicit: isTypeExplicit)))
    }
}

func reference(_ name: String, _ action: Reference.Action = .none, zone: ZoneID? = nil) -> FieldValue {
    .reference(Reference(recordName: RecordName(trusted: name), zone: zone, action: action))
}

private let touches = Atomic(0)
