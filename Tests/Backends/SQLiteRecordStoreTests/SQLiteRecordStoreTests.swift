import CloudModel
import RecordStore
import SQLite
import SQLiteRecordStore
import TestSupport
import Testing

/// The store port on SQLite.
@Suite struct SQLiteRecordStoreTests {
    private let folder = TemporaryFolder()
    private static let alice = UserRecordName.sample("a")
    private static let bob = UserRecordName.sample("b")
    private static let now = Timestamp(milliseconds: 1_700_000_000_000)

    private struct Refused: Error {}

    private func open(_ role: StoreRole = .owner, _ name: String = "store.sqlite") throws
        -> SQLiteRecordStore
    {
        try SQLiteRecordStore(SQLiteConfiguration(path: folder.path(name), isDurable: false), role: role)
    }

    private static func record(
        _ name: String, _ database: DatabaseScope = .public, owner: UserRecordName = .defaultOwner, body: [UInt8] = [1]
    ) -> StoredRecord {
        StoredRecord(
            id: RecordID(
                database: database, zone: ZoneID(name: .defaultZone, owner: owner), name: RecordName(trusted: name)),
            type: RecordType(trusted: "T"), sequence: CommitSequence(5), body: body)
    }

    private static func row(_ sequence: Int64, _ destination: OutboxRow.Destination = .deliveries) -> OutboxRow {
        OutboxRow(sequence: CommitSequence(sequence), destination: destination, key: [1], value: [2], time: now)
    }

    // MARK: Ownership

    /// Exactly one record-service owns a store; administration stands beside it.
    @Test func aStoreHasOneOwner() async throws {
        let owner = try open()
        let failure = #expect(throws: StoreError.self) { try open() }
        #expect(failure?.description.contains(folder.path("store.sqlite")) == true)
        let visitor = try open(.visitor)
        try await visitor.write { try $0.define(RecordType(trusted: "T")) }
        #expect(try await owner.read { try $0.fieldTypes(of: RecordType(trusted: "T")) } == [:])
        await visitor.close()
        #expect(throws: StoreError.self) { try open() }
        await owner.close()
        let next = try open()
        #expect(next.incarnation == owner.incarnation)
        await next.close()
    }

    /// A failed attempt to open must not keep the lock.
    @Test func aFileOfALaterVersionIsRefusedAndLeavesTheLock() async throws {
        await (try open()).close()
        let connection = try SQLiteConnection.open(SQLiteConfiguration(path: folder.path("store.sqlite")))
        try connection.execute("PRAGMA user_version = 99")
        let failure = #expect(throws: SQLiteError.self) { try open() }
        #expect(failure?.message.contains("format 99") == true)
        try connection.execute("PRAGMA user_version = 2")
        await (try open()).close()
    }

    /// There is no release yet whose files would have to be brought up to date.
    @Test func aFileOfAnEarlierVersionIsRefused() async throws {
        await (try open()).close()
        let connection = try SQLiteConnection.open(SQLiteConfiguration(path: folder.path("store.sqlite")))
        try connection.execute("PRAGMA user_version = 1")
        let failure = #expect(throws: SQLiteError.self) { try open() }
        #expect(failure?.message.contains("format 1") == true && failure?.message.contains("new file") == true)
    }

    @Test func storesAreToldApartByTheirIncarnation() throws {
        let stores = [try open(), try open(.owner, "other.sqlite")]
        #expect(stores[0].incarnation != stores[1].incarnation)
    }

    // MARK: Transactions

    @Test func whatThrowsLeavesNothingBehind() async throws {
        let store = try open()
        _ = try await store.write { try $0.nextSequence() }
        await #expect(throws: Refused.self) {
            try await store.write { transaction in
                try transaction.define(RecordType(trusted: "T"))
                try transaction.save(Self.record("a"))
                try transaction.append(Self.row(try transaction.nextSequence().rawValue))
                throw Refused()
            }
        }
        try await store.read { reader throws in
            #expect(try reader.record(Self.record("a").id) == nil)
            #expect(try reader.fieldTypes(of: RecordType(trusted: "T")) == nil)
            #expect(try reader.outbox(after: .zero, limit: 10, bytesMax: .max).isEmpty)
            #expect(try reader.lastSequence() == CommitSequence(1))
        }
        // The commit order has no gap where the refused one was.
        #expect(try await store.write { try $0.nextSequence() } == CommitSequence(2))
    }

    @Test func manyWritersTakeTurnsInTheCommitOrder() async throws {
        let store = try open()
        let sequences = try await withThrowingTaskGroup(of: CommitSequence.self) { group in
            for _ in 0..<200 {
                group.addTask {
                    try await store.write { transaction in
                        let sequence = try transaction.nextSequence()
                        try transaction.append(Self.row(sequence.rawValue))
                        return sequence
                    }
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(sequences.map(\.rawValue).sorted() == Array(1...200))
        #expect(
            try await store.read { try $0.outbox(after: .zero, limit: 500, bytesMax: .max) }.map(\.sequence.rawValue)
                == Array(1...200))
    }

    /// All answers of one closure come from one state, whatever is committed meanwhile.
    @Test func aReadSeesOneState() async throws {
        let store = try open()
        let writing = Task {
            for _ in 0..<200 {
                try await store.write { transaction in
                    let sequence = try transaction.nextSequence()
                    try transaction.append(Self.row(sequence.rawValue))
                }
            }
        }
        for _ in 0..<50 {
            try await store.read { reader throws in
                let rows = try reader.outbox(after: .zero, limit: 1000, bytesMax: .max).count
                #expect(try reader.lastSequence().rawValue == Int64(rows))
            }
        }
        try await writing.value
    }

    @Test func everythingIsThereWhenTheFileIsOpenedAgain() async throws {
        let first = try open()
        try await first.write { transaction in
            try transaction.define(RecordType(trusted: "T"))
            try transaction.save(Self.record("a"))
            try transaction.append(Self.row(try transaction.nextSequence().rawValue))
            try transaction.setPosition([9], of: "commands/0")
        }
        await first.close()
        let second = try open()
        try await second.read { reader throws in
            #expect(try reader.record(Self.record("a").id) == Self.record("a"))
            #expect(try reader.outbox(after: .zero, limit: 1, bytesMax: .max) == [Self.row(1)])
            #expect(try reader.position("commands/0") == [9])
            #expect(try reader.position("commands/1") == nil)
        }
        #expect(try await second.write { try $0.nextSequence() } == CommitSequence(2))
        await second.close()
    }

    // MARK: Contents

    @Test func recordsOfOneNameInOtherDatabasesAreOthers() async throws {
        let store = try open()
        let records = [
            Self.record("a", body: [1]), Self.record("A", body: [2]),
            Self.record("a", .private, owner: Self.alice, body: [3]),
            Self.record("a", .private, owner: Self.bob, body: [4]),
            Self.record("a", .shared, owner: Self.bob, body: []),
        ]
        try await store.write { transaction in
            try transaction.define(RecordType(trusted: "T"))
            for record in records { try transaction.save(record) }
        }
        try await store.read { reader throws in
            for record in records { #expect(try reader.record(record.id) == record) }
            #expect(try reader.record(Self.record("b").id) == nil)
        }
        var changed = records[2]
        changed.body = [9, 9]
        changed.sequence = CommitSequence(8)
        try await store.write { [changed] transaction in
            try transaction.save(changed)
            try transaction.deleteRecord(records[0].id, at: CommitSequence(99), Timestamp(milliseconds: 0), roots: [])
            try transaction.deleteRecord(
                Self.record("never").id, at: CommitSequence(99), Timestamp(milliseconds: 0), roots: [])
        }
        try await store.read { [changed] reader throws in
            #expect(try reader.record(records[0].id) == nil)
            #expect(try reader.record(records[2].id) == changed)
            #expect(try reader.record(records[3].id) == records[3])
        }
    }

    @Test func theSchemaKnowsWhatWasDefined() async throws {
        let store = try open()
        let type = RecordType(trusted: "T")
        try await store.write { transaction in
            #expect(try transaction.fieldTypes(of: type) == nil)
            try transaction.define(type)
            try transaction.define(type)
            for kind in FieldType.allCases {
                try transaction.define(FieldName(trusted: "f\(kind.rawValue)"), as: kind, in: type)
            }
        }
        let types = try await store.read { try $0.fieldTypes(of: type) }
        #expect(
            types
                == Dictionary(
                    uniqueKeysWithValues: FieldType.allCases.map { (FieldName(trusted: "f\($0.rawValue)"), $0) }))
        #expect(try await store.read { try $0.fieldTypes(of: RecordType(trusted: "t")) } == nil)
    }

    @Test func theOutboxKeepsRowsInOrderUntilTheyAreRemoved() async throws {
        let store = try open()
        let destinations: [OutboxRow.Destination] =
            [.changes(.public), .changes(.private), .changes(.shared), .subscriptions, .deliveries]
        var rows = destinations.enumerated().map { Self.row(Int64($0.offset + 1), $0.element) }
        rows[1].value = nil
        rows[2].value = []
        rows[2].key = []
        try await store.write { [rows] transaction in for row in rows.reversed() { try transaction.append(row) } }
        try await store.read { [rows] reader throws in
            #expect(try reader.outbox(after: .zero, limit: 10, bytesMax: .max) == rows)
            #expect(try reader.outbox(after: .zero, limit: 2, bytesMax: .max) == Array(rows[..<2]))
            // Full once there are so many bytes, however large the last one is.
            let first = rows[0].value!.count
            #expect(try reader.outbox(after: .zero, limit: 10, bytesMax: 1) == Array(rows[..<1]))
            #expect(try reader.outbox(after: .zero, limit: 10, bytesMax: first + 1) == Array(rows[..<4]))
            #expect(try reader.outbox(after: CommitSequence(3), limit: 10, bytesMax: .max) == Array(rows[3...]))
        }
        try await store.write { try $0.removeOutbox(through: CommitSequence(3)) }
        #expect(try await store.read { try $0.outbox(after: .zero, limit: 10, bytesMax: .max) } == Array(rows[3...]))
        await #expect(throws: SQLiteError.self) { try await store.write { try $0.append(Self.row(5)) } }
    }

    private static func subscription(
        _ id: String, _ user: UserRecordName = alice, _ database: DatabaseScope = .public, condition: [UInt8],
        saved: Int64 = 1
    ) -> StoredSubscription {
        StoredSubscription(
            key: SubscriptionKey(user: user, database: database, id: SubscriptionID(trusted: id)),
            created: CommitSequence(1),
            saved: CommitSequence(saved), condition: condition, body: [7])
    }

    @Test func subscriptionsBelongToOneUserInOneDatabase() async throws {
        let store = try open()
        let all = [
            Self.subscription("b", condition: [1]), Self.subscription("a", condition: [2]),
            Self.subscription("a", Self.bob, condition: [1]),
            Self.subscription("a", Self.alice, .private, condition: [1]),
        ]
        try await store.write { transaction in for subscription in all { try transaction.save(subscription) } }
        try await store.read { reader throws in
            #expect(try reader.subscriptions(of: Self.alice, in: .public) == [all[1], all[0]])
            #expect(try reader.subscriptionCount(of: Self.alice, in: .public) == 2)
            #expect(try reader.subscriptionCount(of: Self.bob, in: .private) == 0)
            for subscription in all { #expect(try reader.subscription(subscription.key) == subscription) }
            #expect(
                try reader.subscriptionID(of: Self.alice, in: .public, condition: [2]) == SubscriptionID(trusted: "a"))
            #expect(try reader.subscriptionID(of: Self.bob, in: .public, condition: [2]) == nil)
        }
        // The condition is unique, also below the use cases.
        await #expect(throws: SQLiteError.self) {
            try await store.write { try $0.save(Self.subscription("c", condition: [1])) }
        }
        let updated = Self.subscription("b", condition: [1], saved: 9)
        try await store.write { try $0.save(updated) }
        try await store.read { reader throws in
            #expect(try reader.subscription(updated.key) == updated)
            #expect(try reader.lastSubscriptionSequence() == CommitSequence(9))
        }
        try await store.write { try $0.deleteSubscription(updated.key, at: CommitSequence(12)) }
        try await store.read { reader throws in
            #expect(try reader.subscription(updated.key) == nil)
            #expect(try reader.lastSubscriptionSequence() == CommitSequence(12))
        }
    }

    @Test func supersededVersionsComeOldestFirstOnceTheirTimeIsOver() async throws {
        let store = try open()
        let versions = [(3, 300), (1, 100), (2, 200)].map {
            SupersededVersion(
                sequence: CommitSequence(Int64($0.0)), key: [UInt8($0.0)], time: Timestamp(milliseconds: Int64($0.1)))
        }
        try await store.write { transaction in for version in versions { try transaction.addSuperseded(version) } }
        func found(_ time: Int64, _ limit: Int = 10) async throws -> [Int64] {
            try await store.read {
                try $0.supersededVersions(before: Timestamp(milliseconds: time), limit: limit).map(\.sequence.rawValue)
            }
        }
        #expect(try await found(100) == [])
        #expect(try await found(201) == [1, 2])
        #expect(try await found(1000, 2) == [1, 2])
        try await store.write { try $0.removeSuperseded(CommitSequence(1)) }
        #expect(try await found(1000) == [2, 3])
    }

    @Test func usersDevicesAndTokens() async throws {
        let store = try open()
        @Sendable func device(_ id: String, _ user: UserRecordName, _ epoch: Int64) -> StoredDevice {
            StoredDevice(
                device: Device(
                    id: DeviceID(trusted: id), user: user, epoch: DeviceEpoch(epoch), name: "ü\u{0}x", platform: "",
                    registered: Self.now), lastSeen: Timestamp(milliseconds: epoch))
        }
        let devices = [device("z", Self.alice, 1), device("a", Self.alice, 2), device("b", Self.bob, 3)]
        try await store.write { transaction in
            try transaction.addUser(Self.alice, .development("alice"), at: Self.now)
            try transaction.addUser(Self.bob, UserIdentity(issuer: "other", subject: "alice"), at: Self.now)
            for device in devices { try transaction.save(device) }
            try transaction.addAPIToken(digest: [1, 2], note: "n", at: Self.now)
            try transaction.noteDeviceEvent(of: Self.alice, CommitSequence(7))
        }
        try await store.read { reader throws in
            #expect(try reader.user(.development("alice")) == Self.alice)
            #expect(try reader.user(UserIdentity(issuer: "other", subject: "alice")) == Self.bob)
            #expect(try reader.user(.development("Alice")) == nil)
            #expect(try reader.devices(of: Self.alice) == Array(devices[..<2]))
            #expect(try reader.device(DeviceID(trusted: "b")) == devices[2])
            #expect(try reader.device(DeviceID(trusted: "B")) == nil)
            #expect(try reader.hasAPIToken(digest: [1, 2]))
            #expect(try !reader.hasAPIToken(digest: [1]))
            #expect(try reader.lastDeviceEvent(of: Self.alice) == CommitSequence(7))
            #expect(try reader.lastDeviceEvent(of: Self.bob) == .zero)
        }
        // A device needs its user, and an identity is one user's.
        await #expect(throws: SQLiteError.self) {
            try await store.write { try $0.save(device("c", UserRecordName(trusted: "_nobody"), 4)) }
        }
        await #expect(throws: SQLiteError.self) {
            try await store.write {
                try $0.addUser(UserRecordName(trusted: "_x"), .development("alice"), at: Self.now)
            }
        }
        try await store.write { try $0.deleteDevice(DeviceID(trusted: "z")) }
        #expect(try await store.read { try $0.devices(of: Self.alice) } == [devices[1]])
    }
}
