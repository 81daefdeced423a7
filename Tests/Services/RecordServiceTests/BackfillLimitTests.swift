import CloudMessages
import CloudModel
import EventLog
import ProtocolBuffers
import RecordStore
import TestSupport
import Testing

@testable import RecordService

/// The number of subscriptions that begin in the past is bounded, and so is what each puts into the log.
@Suite struct BackfillLimitTests {
    private static func draft(_ number: Int, above: Int? = nil) -> SubscriptionDraft {
        let filter = GivenFilter(
            field: .field(FieldName(trusted: "n")), comparator: .greaterThan,
            operand: .value(GivenValue(.int64(Int64(above ?? -number)), isTypeExplicit: false)))
        var draft = SubscriptionDraft(
            id: SubscriptionID(trusted: "s\(number)"),
            query: GivenQuery(recordType: RecordType(trusted: "T"), filters: [filter]), zone: nil, firesOn: [.create],
            firesOnce: false, notificationInfo: NotificationInfo())
        draft.startingFrom = .time(Timestamp(milliseconds: 0))
        return draft
    }

    private static func create(
        _ numbers: Range<Int>, _ rig: RecordServiceRig, in database: DatabaseScope = .public, as caller: Caller? = nil
    ) async throws -> [SubscriptionResult] {
        try await rig.service.modifySubscriptions(
            numbers.map { .create(draft($0)) }, in: database, for: caller ?? rig.alice)
    }

    private static func refusals(_ results: [SubscriptionResult]) -> [String] {
        results.compactMap { result in
            guard case .failed(_, let error) = result else { return nil }
            #expect(error.code == .quotaExceeded)
            return error.limit?.name
        }
    }

    private static func created(_ results: [SubscriptionResult], _ rig: RecordServiceRig) async throws
        -> [CommitSequence]
    {
        try await rig.service.store.read { reader in
            try results.compactMap { result in
                guard case .subscription(let subscription) = result else { return nil }
                return try reader.subscription(subscription.key)?.created
            }
        }
    }

    @Test(
        "a user has some backfills open in a database, whatever the requests",
        arguments: [DatabaseScope.public, .private])
    func openBackfills(database: DatabaseScope) async throws {
        let rig = try await RecordServiceRig()
        let count = Limits.backfillsOpenMax
        let results = try await Self.create(0..<count + 30, rig, in: database)
        #expect(Self.refusals(results) == Array(repeating: "backfillsOpenMax", count: 30))
        #expect(Self.refusals(try await Self.create(200..<201, rig, in: database)) == ["backfillsOpenMax"])
        // Others are not concerned, nor are the user's other databases, nor subscriptions that begin now.
        #expect(Self.refusals(try await Self.create(0..<1, rig, in: database, as: rig.bob)).isEmpty)
        let other: DatabaseScope = database == .public ? .private : .public
        #expect(Self.refusals(try await Self.create(0..<1, rig, in: other)).isEmpty)
        var draft = Self.draft(300)
        draft.startingFrom = .now
        #expect(
            Self.refusals(try await rig.service.modifySubscriptions([.create(draft)], in: database, for: rig.alice))
                .isEmpty)
        // Saved again, none is new.
        #expect(Self.refusals(try await Self.create(0..<5, rig, in: database)).isEmpty)
        // A delivered one makes room, and a deleted one.
        let created = try await Self.created(results, rig)
        try await rig.service.store.write { try $0.endBackfills([created[3], created[4]], of: rig.alice.user!) }
        let next = try await Self.create(400..<403, rig, in: database)
        #expect(Self.refusals(next) == ["backfillsOpenMax"])
        _ = try await rig.service.modifySubscriptions(
            [.delete(SubscriptionID(trusted: "s0"))], in: database, for: rig.alice)
        #expect(Self.refusals(try await Self.create(500..<502, rig, in: database)) == ["backfillsOpenMax"])
        // One of which nothing is ever reported counts for a day.
        rig.move(by: .seconds(86_401))
        #expect(Self.refusals(try await Self.create(600..<600 + count, rig, in: database)).isEmpty)
    }

    @Test("creating and deleting again and again ends at a number a day")
    func aDay() async throws {
        let rig = try await RecordServiceRig()
        var created = 0
        var refused: [String] = []
        while refused.isEmpty, created <= Limits.backfillsPerDayMax {
            let results = try await Self.create(0..<20, rig)
            refused = Self.refusals(results)
            created += results.count - refused.count
            _ = try await rig.service.modifySubscriptions(
                (0..<20).map { .delete(SubscriptionID(trusted: "s\($0)")) }, in: .public, for: rig.alice)
        }
        #expect(created == Limits.backfillsPerDayMax && Set(refused) == ["backfillsPerDayMax"])
        #expect(Self.refusals(try await Self.create(0..<1, rig, in: .private)) == ["backfillsPerDayMax"])
        #expect(Self.refusals(try await Self.create(0..<1, rig, as: rig.bob)).isEmpty)
        rig.move(by: .seconds(86_401))
        #expect(Self.refusals(try await Self.create(0..<1, rig)).isEmpty)
    }

    @Test(
        "a commit puts one boundary into each partition, whatever the number of its subscriptions",
        arguments: [DatabaseScope.public, .private])
    func boundaries(database: DatabaseScope) async throws {
        let rig = try await RecordServiceRig()
        _ = try await Self.create(0..<15, rig, in: database)
        let rows = try await rig.outbox()
        let changes = rows.filter { $0.destination == .changes(database) }
        let last = try #require(rows.last { $0.destination == .subscriptions })
        #expect(changes.allSatisfy { $0.sequence > last.sequence })
        let layout = RecordServiceRig.layout
        let partitions = changes.map { layout.partition(of: $0.key) }
        let own = layout.partition(of: layout.userKey(rig.alice.user!))
        #expect(partitions == (database == .private ? [own] : Array(0..<layout.partitions)))
        #expect(rows.count { $0.destination == .deliveries } == 15)
    }
}
