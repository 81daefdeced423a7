import CloudModel
package import RecordStore
import Testing

/// The contract of the store port (`Core/RecordStore/DESIGN.md`) as checks. Each backend's tests run all of them; what
/// a backend cannot do is left out by name, and printed.
package enum StoreConformance {
    /// An ability that not every backend has.
    package enum Capability: Sendable {
        /// Contents stay when the store is closed and opened again.
        case reopening
        /// A visitor works beside the owner.
        case visitors
    }

    /// One check.
    package struct Check: Sendable, CustomTestStringConvertible {
        package let name: String
        let needs: [Capability]
        let body: @Sendable (Environment) async throws -> Void

        init(_ name: String, needs: [Capability] = [], _ body: @escaping @Sendable (Environment) async throws -> Void) {
            self.name = name
            self.needs = needs
            self.body = body
        }

        package var testDescription: String { name }

        /// Runs the check on a store of its own; prints and returns when the backend cannot do what it needs.
        /// - Parameter open: opens the check's store, which is new at the first call.
        package func run(
            without missing: Set<Capability> = [], open: @escaping @Sendable (StoreRole) throws -> any RecordStore
        ) async throws {
            let lacking = needs.filter(missing.contains)
            guard lacking.isEmpty else {
                print("StoreConformance: left out '\(name)': the backend has no \(lacking)")
                return
            }
            try await within(name) { try await body(Environment(open: open)) }
        }
    }

    /// The store under test.
    struct Environment: Sendable {
        fileprivate let open: @Sendable (StoreRole) throws -> any RecordStore

        init(open: @escaping @Sendable (StoreRole) throws -> any RecordStore) { self.open = open }

        /// Opens the check's store once more.
        func open(_ role: StoreRole = .owner) throws -> any RecordStore { try open(role) }

        /// Runs a check's work on the store, and closes it.
        func withStore(_ work: (any RecordStore) async throws -> Void) async throws {
            let store = try open()
            do {
                try await work(store)
            } catch {
                await store.close()
                throw error
            }
            await store.close()
        }
    }

    /// All checks.
    package static let checks: [Check] =
        ownershipChecks + transactionChecks + outboxChecks + recordChecks + batchChecks + subscriptionChecks
        + userChecks + indexChecks + zoneChecks + shareChecks + accountChecks + creatorChecks

    // MARK: Contents of checks

    /// An error of a closure's own.
    struct Refused: Error {}

    static let alice = UserRecordName(trusted: "_" + String(repeating: "a", count: 32))
    static let bob = UserRecordName(trusted: "_" + String(repeating: "b", count: 32))
    static let carol = UserRecordName(trusted: "_" + String(repeating: "c", count: 32))
    static let now = Timestamp(milliseconds: 1_700_000_000_000)
    static let type = RecordType(trusted: "T")

    static func record(
        _ name: String, _ database: DatabaseScope = .public, owner: UserRecordName = .defaultOwner, body: [UInt8] = [1],
        parent: String? = nil
    ) -> StoredRecord {
        StoredRecord(
            id: RecordID(
                database: database, zone: ZoneID(name: .defaultZone, owner: owner), name: RecordName(trusted: name)),
            type: type, sequence: CommitSequence(5), body: body, parent: parent.map { RecordName(trusted: $0) })
    }

    static func row(
        _ sequence: CommitSequence, _ destination: OutboxRow.Destination = .deliveries
    ) -> OutboxRow {
        OutboxRow(sequence: sequence, destination: destination, key: [1], value: [2], time: now)
    }
}

extension StoreTransaction {
    /// Adds a row with the next sequence.
    @discardableResult
    func appendNext(_ destination: OutboxRow.Destination = .deliveries) throws -> OutboxRow {
        let row = StoreConformance.row(try nextSequence(), destination)
        try append(row)
        return row
    }
}

extension RecordStore {
    /// Waits until everything that was committed before is settled.
    package func untilSettled() async throws {
        let last = try await write { try $0.nextSequence() }
        try await eventually("all that was committed is settled") {
            try await self.read { try $0.settledSequence() } >= last
        }
    }

    /// Expects that a write is refused because it contradicts stored rows, and changes nothing.
    func expectRefusal(_ body: @escaping @Sendable (any StoreTransaction) throws -> Void) async {
        do {
            try await write(body)
            Issue.record("the write was not refused")
        } catch StoreError.refused {
        } catch {
            Issue.record("not refused, but: \(error)")
        }
    }
}
