import CloudModel
import Cryptography
import Dispatch
import ProtocolBuffers
import RecordStore
import SQLite
import SQLiteRecordStore
import Synchronization
import TestSupport
import Testing

@testable import RecordService

/// What queries and tests of subscriptions may cost, and that they end and wait for their turn.
@Suite struct WorkBudgetTests {
    private static let type = RecordType(trusted: "T")

    /// Alice's public records `r0`…, each with some bytes of text, a number and a place.
    private static func filled(_ count: Int, bytes: Int) async throws -> RecordServiceRig {
        let rig = try await RecordServiceRig()
        for start in stride(from: 0, to: count, by: 200) {
            let operations = (start..<min(count, start + 200)).map { n in
                RecordOperation.on(
                    "r\(n)", .create,
                    [
                        "t": .string(String(repeating: "x", count: bytes)), "n": .int64(Int64(n)), "one": .int64(1),
                        "at": .location(Location(latitude: Double(n % 80), longitude: 1)),
                    ])
            }
            _ = try await rig.service.modifyRecords(operations, in: .public, for: rig.alice)
        }
        return rig
    }

    private static func pages(
        _ rig: RecordServiceRig, _ sorts: [Sort], _ bounds: QueryRun.Bounds, predicate: Predicate = .always
    )
        async throws -> (names: [String], sizes: [Int])
    {
        try await rig.service.store.read { reader in
            let indexes = try #require(try reader.indexes(of: type))
            let query = CheckedQuery(
                type: type, database: .public, zones: [.publicDefault], isOfAllZones: false, predicate: predicate,
                asked: predicate, order: QueryOrder(sorts: sorts), limit: 50)
            var names: [String] = []
            var sizes: [Int] = []
            var start: QueryPosition?
            repeat {
                let page = try QueryRun(reader, query, indexes, bounds: bounds).page(after: start)
                names += page.records.map(\.name.rawValue)
                sizes.append(page.records.count)
                start = page.next
            } while start != nil && sizes.count < 1000
            return (names, sizes)
        }
    }

    /// A page ends where its budget does, and the next one goes on: all is found once.
    @Test(arguments: ["", "n", "-n", "one", "recordName"])
    func aPageIsShortWhereItsBudgetEnds(order: String) async throws {
        let rig = try await Self.filled(200, bytes: 1000)
        let name = order.drop { $0 == "-" }
        let sorts =
            order.isEmpty
            ? []
            : [
                Sort(
                    field: name == "recordName" ? .system(.recordName) : .field(FieldName(trusted: String(name))),
                    isAscending: !order.hasPrefix("-"))
            ]
        let cheap = Predicate.comparison(
            Predicate.Comparison(field: .field(FieldName(trusted: "one")), relation: .equals(.int64(1), [])))
        for (bounds, predicate) in [
            (QueryRun.Bounds(bytesMax: 10_000), Predicate.always), (QueryRun.Bounds(workMax: 10_000), .always),
            (QueryRun.Bounds(scannedMax: 10), .always), (QueryRun.Bounds(bytesMax: 10_000), cheap),
            (QueryRun.Bounds(bytesMax: 1), cheap),
        ] {
            let (names, sizes) = try await Self.pages(rig, sorts, bounds, predicate: predicate)
            #expect(Set(names).count == 200 && names.count == 200, "\(order) \(names.count)")
            #expect(sizes.max()! <= 11)
        }
    }

    /// What an index has no order for is refused by name of what it would cost.
    @Test func unpageableQueriesAreRefused() async throws {
        let rig = try await Self.filled(100, bytes: 1000)
        let near = Sort(
            field: .field(FieldName(trusted: "at")), isAscending: true,
            relativeLocation: Location(latitude: 0, longitude: 0))
        await expect(code: .quotaExceeded) {
            try await Self.pages(rig, [near], QueryRun.Bounds(bytesMax: 10_000))
        }
        #expect(try await Self.pages(rig, [near], QueryRun.Bounds()).names.count == 100)
        let equal = [Sort(field: .field(FieldName(trusted: "one")), isAscending: true), near]
        await expect(code: .quotaExceeded) {
            try await Self.pages(rig, equal, QueryRun.Bounds(fewMax: 10, sortedBytesMax: 10_000))
        }
    }

    @Test func callersWithoutAUserHaveLess() {
        let user = QueryRun.Bounds.of(Caller(user: UserRecordName(trusted: "_a")))
        let none = QueryRun.Bounds.of(Caller(user: nil))
        #expect(none.workMax * Limits.queryPartWithoutUser == user.workMax && none.bytesMax < user.bytesMax)
    }

    @Test func aQueryHasAPredicateOfLimitedCost() async throws {
        let rig = try await Self.filled(1, bytes: 1)
        let parts = (0..<100).map { "NOT (t LIKE '*a*b\($0)*')" }
        let query = GivenQuery(
            recordType: Self.type, filters: [], predicate: GivenPredicate(text: parts.joined(separator: " AND ")))
        let error = await expect(code: .badRequest) {
            try await rig.service.queryRecords(
                RecordQuery(query: query), in: .public, markers: QueryMarkers(rig.keys), for: Caller(user: nil))
        }
        #expect(error?.reason.contains("costs") == true, "\(error?.reason ?? "")")
    }

    /// A walk ends when nobody waits for it, in the middle of what SQLite does, too.
    @Test func aWalkEndsWithItsTask() async throws {
        let rig = try await Self.filled(2, bytes: 1)
        let reads = LongReads()
        let walk = Task {
            try await rig.service.store.readAtLength(for: "a") { reader, hasToEnd in
                reads.running.withLock { $0 += 1 }
                while !hasToEnd() {}
                let scan = IndexScan(
                    type: Self.type, database: .public, zones: [.publicDefault], order: .number(isAscending: true))
                try reader.scan(scan) { _ in true }
                throw CancellationError()
            }
        }
        while reads.running.withLock({ $0 }) == 0 { await Task.yield() }
        walk.cancel()
        await #expect(throws: CancellationError.self) { try await walk.value }
    }

    /// Long reads of one user leave room for others, and those who read a little wait for none of them.
    @Test func longReadsOfOneKeepNobodyWaiting() async throws {
        let rig = try await Self.filled(2, bytes: 1)
        let store = rig.service.store
        let reads = LongReads()
        try await withThrowingTaskGroup(of: Void.self) { group in
            // Also when something throws: the group waits for the reads.
            defer { reads.letGo() }
            for _ in 0..<10 {
                group.addTask {
                    try await store.readAtLength(for: "mallory") { _, _ in
                        reads.running.withLock { $0 += 1 }
                        reads.wait()
                    }
                }
            }
            while reads.running.withLock({ $0 }) < SQLiteRecordStore.scansOfKey { await Task.yield() }
            for _ in 0..<20 { #expect(try await rig.lookUp("r1") != nil) }
            for user in ["alice", "bob"] { try await store.readAtLength(for: user) { _, _ in } }
            #expect(reads.running.withLock { $0 } == SQLiteRecordStore.scansOfKey)
            reads.letGo()
            try await group.waitForAll()
        }
    }

    private final class LongReads: Sendable {
        let running = Mutex(0)
        private let isOver = DispatchSemaphore(value: 0)

        /// Blocks the calling thread until `letGo` was called.
        func wait() {
            isOver.wait()
            isOver.signal()
        }

        func letGo() { isOver.signal() }
    }

    @Test func aRequestHasSoManyTests() async throws {
        let rig = try await Self.filled(3, bytes: 10)
        func tests(_ count: Int) async throws -> [SubscriptionResult] {
            try await rig.service.modifySubscriptions(
                (0..<count).map { _ in .test(.draft(nil)) }, in: .public, for: rig.alice)
        }
        #expect(try await tests(Limits.testsMax).count == Limits.testsMax)
        await expect(code: .quotaExceeded) { try await tests(Limits.testsMax + 1) }
    }

    /// A test that would cost too much looks at the latest changes and says how many it left out; it is no error.
    @Test func aCostlyTestReportsItsOmissions() async throws {
        let rig = try await Self.filled(100, bytes: 1000)
        let changes = try await rig.changes().map { (change: $0, bytes: 1000) }
        let result = try await rig.service.modifySubscriptions(
            [.test(.draft(nil, [.field("n", .greaterThan, .int64(-1))]))], in: .public, for: rig.alice)
        let whole = try #require(SubscriptionOutcome(result[0]).test)
        #expect(whole.examined == 100 && whole.leftOut == 0 && whole.matched.count == 100)
        var empty = whole
        (empty.examined, empty.matched) = (0, [])
        let cut = try RecordService.tested(
            [.tested(empty), .tested(empty)], on: changes, { false }, workMax: 20_000 * whole.predicateCost)
        for test in cut.compactMap({ SubscriptionOutcome($0).test }) {
            #expect(test.examined == 10 && test.leftOut == 90)
            #expect(test.matched.map(\.sequence) == changes.suffix(10).map(\.change.sequence))
        }
        #expect(throws: CancellationError.self) {
            try RecordService.tested([.tested(empty)], on: changes, { true })
        }
    }
}
