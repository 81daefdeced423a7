import CloudModel
import RecordStore
import Synchronization
import TestSupport
import Testing

/// The store in memory with no more than the port promises, on which services are tested.
@Suite struct WeakStoreTests {
    @Test(arguments: StoreConformance.checks, [1, 2, 3] as [UInt64])
    func conforms(_ check: StoreConformance.Check, seed: UInt64) async throws {
        try await check.run(without: [.reopening, .visitors]) { _ in try WeakStore(seed: seed) }
    }

    /// What makes it weak: a check of the port says nothing if its stores are all strong.
    @Test("a commit becomes visible below others that are visible already, and only then is settled")
    func commitsBecomeVisibleLate() async throws {
        let store = try WeakStore(seed: 1)
        let hold = store.holdNextWrite()
        let runs = Counted()
        let late = Task {
            try await store.write(in: .records) { transaction in
                runs.add()
                return try transaction.appended()
            }
        }
        await hold.untilBegun()
        let higher = try await store.write(in: .user(.sample("a"))) { try $0.appended() }
        let (visible, settled) = try await store.read { reader in
            (try reader.lastChangeSequence(in: .public, of: .sample("a")), try reader.settledSequence())
        }
        #expect(visible == higher, "what it changed is there")
        #expect(settled < higher)
        #expect(try await store.read { try $0.outbox(after: .zero, limit: 9, bytesMax: .max) }.isEmpty)
        hold.release()
        let lower = try await late.value
        #expect(lower < higher && runs.count == 2, "it ran again, with the sequence that it had")
        try await eventually("both are settled") {
            try await store.read { try $0.settledSequence() } >= higher
        }
        let rows = try await store.read { try $0.outbox(after: .zero, limit: 9, bytesMax: .max) }
        #expect(rows.map(\.sequence) == [lower, higher])
    }
}

/// A count of runs.
private final class Counted: Sendable {
    private let runs = Mutex(0)
    var count: Int { runs.withLock(\.self) }
    func add() { runs.withLock { $0 += 1 } }
}

extension StoreTransaction {
    /// Adds a row with the next sequence.
    fileprivate func appended() throws -> CommitSequence {
        let sequence = try nextSequence()
        try append(
            OutboxRow(
                sequence: sequence, destination: .changes(.public), key: Array("\(sequence)".utf8), value: [1],
                time: Timestamp(milliseconds: 0)))
        return sequence
    }
}
