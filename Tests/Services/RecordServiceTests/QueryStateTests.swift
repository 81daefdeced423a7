import CloudMessages
import CloudModel
import Cryptography
import RecordStore
import TestSupport
import Testing

@testable import RecordService

/// Subscriptions that go on from the state of a query.
@Suite struct QueryStateTests {
    private static let type = RecordType(trusted: "T")

    private static func page(
        _ rig: RecordServiceRig, type: RecordType = type, limit: Int = 200, marker: String? = nil,
        in database: DatabaseScope = .public, as caller: Caller? = nil
    ) async throws -> RecordQueryPage {
        try await rig.service.queryRecords(
            RecordQuery(query: GivenQuery(recordType: type, filters: []), limit: limit, marker: marker), in: database,
            markers: QueryMarkers(rig.keys), for: caller ?? rig.alice)
    }

    private static func subscribe(
        _ rig: RecordServiceRig, from start: StartingFrom, in database: DatabaseScope = .public
    ) async throws -> SubscriptionResult {
        var draft = SubscriptionDraft(
            id: SubscriptionID(trusted: "s"), query: GivenQuery(recordType: type, filters: []), zone: nil,
            firesOn: [.create], firesOnce: false, notificationInfo: NotificationInfo())
        draft.startingFrom = start
        return try await rig.service.modifySubscriptions([.create(draft)], in: database, for: rig.alice)[0]
    }

    private static func start(
        _ rig: RecordServiceRig, in database: DatabaseScope = .public
    ) async throws -> StartingFrom {
        let token = try #require(try await page(rig, in: database).syncToken)
        return try #require(try rig.service.startingPlace(at: token, in: database, for: rig.alice.user!))
    }

    private static func code(_ result: SubscriptionResult) -> CloudErrorCode? {
        guard case .failed(_, let error) = result else { return nil }
        return error.code
    }

    @Test("the first page of a signed-in user has a token, also of a type without records")
    func firstPages() async throws {
        let rig = try await RecordServiceRig()
        #expect(try await Self.page(rig, type: RecordType(trusted: "Unknown")).syncToken != nil)
        _ = try await rig.service.modifyRecords(
            [RecordOperation.touch("a"), RecordOperation.touch("b")], in: .public, for: rig.alice)
        let first = try await Self.page(rig, limit: 1)
        #expect(first.syncToken != nil && first.marker != nil)
        #expect(try await Self.page(rig, limit: 1, marker: first.marker).syncToken == nil)
        #expect(try await Self.page(rig, as: Caller(user: nil)).syncToken == nil)
    }

    @Test("a token names the last commit that the page shows", arguments: [DatabaseScope.public, .private])
    func place(_ database: DatabaseScope) async throws {
        let rig = try await RecordServiceRig()
        _ = try await rig.service.modifyRecords([RecordOperation.touch("a")], in: database, for: rig.alice)
        let (sequence, time) = (try await rig.lastSequence(), rig.now)
        rig.move(by: .seconds(60))
        let start = try await Self.start(rig, in: database)
        #expect(start == .query(after: CommitSequence(sequence), at: time))
        _ = try await rig.service.modifyRecords([RecordOperation.touch("b")], in: database, for: rig.alice)
        guard case .subscription(let subscription) = try await Self.subscribe(rig, from: start, in: database) else {
            Issue.record("it is refused")
            return
        }
        #expect(subscription.backfill?.after == CommitSequence(sequence))
        #expect(subscription.backfill?.from == time)
    }

    @Test("tokens of others, of other databases and of feeds are no place to begin from")
    func strangers() async throws {
        let rig = try await RecordServiceRig()
        let token = try #require(try await Self.page(rig).syncToken)
        for (user, database) in [(rig.bob.user!, DatabaseScope.public), (rig.alice.user!, .private)] {
            let error = #expect(throws: CloudError.self) {
                try rig.service.startingPlace(at: token, in: database, for: user)
            }
            #expect(error?.code == .badRequest)
        }
        #expect(try rig.service.startingPlace(at: "AAAA", in: .public, for: rig.alice.user!) == nil)
        let feed = try await rig.service.databaseChanges(since: nil, in: .private, for: rig.alice).syncToken
        #expect(try rig.service.startingPlace(at: feed, in: .private, for: rig.alice.user!) == nil)
        // Nor is it a place in a feed.
        let error = await #expect(throws: CloudError.self) {
            try await rig.service.databaseChanges(
                since: try await Self.page(rig, in: .private).syncToken, in: .private, for: rig.alice)
        }
        #expect(error?.code == .badRequest)
    }

    @Test("a token expires with the changes after it, and with the store's future")
    func expiry() async throws {
        let rig = try await RecordServiceRig()
        _ = try await rig.service.modifyRecords([RecordOperation.touch("a")], in: .public, for: rig.alice)
        let start = try await Self.start(rig)
        rig.move(by: .seconds(RecordServiceRig.layout.retention.changes / 1000 - 1))
        #expect(Self.code(try await Self.subscribe(rig, from: start)) == nil)
        let deleted = try await rig.service.modifySubscriptions(
            [.delete(SubscriptionID(trusted: "s"))], in: .public, for: rig.alice)
        #expect(deleted == [.deleted(SubscriptionID(trusted: "s"))])
        rig.move(by: .seconds(1))
        let late = try await Self.subscribe(rig, from: start)
        #expect(Self.code(late) == .changeTokenExpired, "\(late)")

        let lost = StartingFrom.query(after: CommitSequence(try await rig.lastSequence() + 5), at: rig.now)
        try await rig.service.store.write { transaction in
            try LostFutures.skip(
                through: CommitSequence(try transaction.settledSequence().rawValue + 10), transaction)
        }
        #expect(Self.code(try await Self.subscribe(rig, from: lost)) == .changeTokenExpired)
    }
}
