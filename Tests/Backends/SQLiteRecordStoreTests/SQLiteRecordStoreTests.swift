import CloudModel
import Foundation
import RecordStore
import SQLite
import TestSupport
import Testing

@testable import SQLiteRecordStore

/// The store port on SQLite.
@Suite struct SQLiteRecordStoreTests {
    private let folder = TemporaryFolder()

    private var file: SQLiteConfiguration {
        SQLiteConfiguration(path: folder.path("store.sqlite"), isDurable: false, busyTimeoutMilliseconds: 10)
    }

    private func open(_ role: StoreRole = .owner) throws -> SQLiteRecordStore {
        try SQLiteRecordStore(file, role: role)
    }

    @Test(arguments: StoreConformance.checks)
    func conforms(_ check: StoreConformance.Check) async throws {
        let path = folder.path("conformance.sqlite")
        try await check.run { try SQLiteRecordStore(SQLiteConfiguration(path: path, isDurable: false), role: $0) }
    }

    @Test func aSecondOwnersErrorNamesTheLockedFile() async throws {
        let owner = try open()
        let failure = #expect(throws: StoreError.self) { try open() }
        #expect(failure?.description.contains(folder.path("store.sqlite")) == true)
        await owner.close()
    }

    /// A failed attempt to open must not keep the lock.
    @Test func aFileOfALaterVersionIsRefusedAndLeavesTheLock() async throws {
        await (try open()).close()
        let connection = try SQLiteConnection.open(file)
        try connection.execute("PRAGMA user_version = 99")
        let failure = #expect(throws: StoreError.self) { try open() }
        guard case .unreadable(let text)? = failure else {
            return #expect(Bool(false), "\(String(describing: failure))")
        }
        #expect(text.contains("format 99"))
        try connection.execute("PRAGMA user_version = 2")
        await (try open()).close()
    }

    /// There is no release yet whose files would have to be brought up to date.
    @Test func aFileOfAnEarlierVersionIsRefused() async throws {
        await (try open()).close()
        let connection = try SQLiteConnection.open(file)
        try connection.execute("PRAGMA user_version = 1")
        let failure = #expect(throws: StoreError.self) { try open() }
        #expect(failure?.description.contains("format 1") == true && failure?.description.contains("new file") == true)
    }

    @Test("a file from before addresses of pushes gets their table, and its devices have none")
    func addressesComeToAnOlderFile() async throws {
        await (try open()).close()
        try SQLiteConnection.open(file).execute("DROP TABLE push_addresses")
        let store = try open()
        #expect(try await store.read { try $0.pushAddresses(after: nil, limit: 9) }.isEmpty)
        await store.close()
    }

    /// More than the port asks for: the one writer's order is that of its commits.
    @Test("sequences have no gaps, not even where a write was undone, and each commit is settled at once")
    func sequencesHaveNoGaps() async throws {
        struct Undone: Error {}
        let store = try open()
        for expected in 1...3 as ClosedRange<Int64> {
            #expect(try await store.write { try $0.nextSequence() }.rawValue == expected)
            #expect(try await store.read { try $0.settledSequence() }.rawValue == expected)
            await #expect(throws: Undone.self) {
                try await store.write { transaction in
                    _ = try transaction.nextSequence()
                    throw Undone()
                }
            }
        }
        let sequences = try await withThrowingTaskGroup(of: Int64.self) { group in
            for _ in 0..<200 { group.addTask { try await store.write { try $0.nextSequence() }.rawValue } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(sequences.sorted() == Array(4...203))
        await store.close()
    }

    @Test func storesDifferByIncarnation() throws {
        let stores = [
            try open(), try SQLiteRecordStore(SQLiteConfiguration(path: folder.path("other.sqlite")), role: .owner),
        ]
        #expect(stores[0].incarnation != stores[1].incarnation)
    }

    // MARK: Failures

    @Test(
        arguments: [
            (5, "unavailable"), (261, "unavailable"), (6, "unavailable"), (21, "unavailable"), (13, "full"),
            (19, "refused"), (2067, "refused"), (11, "unreadable"), (26, "unreadable"), (10, "failed"), (1, "failed"),
        ] as [(Int32, String)])
    func resultCodesAreDecisions(code: Int32, decision: String) {
        let error = StoreError(SQLiteError(code: code, message: "m", attempt: "a"))
        #expect("\(Mirror(reflecting: error).children.first?.label ?? "")" == decision)
        #expect(error.description.contains("code \(code)"), "the log has SQLite's own words")
    }

    @Test func aFileThatAnotherProcessWritesToIsUnavailableForAWhile() async throws {
        let store = try open()
        let other = try SQLiteConnection.open(file)
        try other.execute("BEGIN IMMEDIATE")
        do {
            _ = try await store.write { try $0.nextSequence() }
            Issue.record("written beside another writer")
        } catch StoreError.unavailable {}
        #expect(try await store.read { try $0.settledSequence() } == .zero)
        try other.execute("ROLLBACK")
        #expect(try await store.write { try $0.nextSequence() }.rawValue == 1)
        await store.close()
    }

    @Test func aDamagedFileIsUnreadable() async throws {
        try Array(repeating: UInt8(ascii: "x"), count: 8192).withUnsafeBytes {
            try Data($0).write(to: URL(fileURLWithPath: folder.path("store.sqlite")))
        }
        do {
            _ = try open()
            Issue.record("a damaged file was opened")
        } catch StoreError.unreadable {}
    }
}
