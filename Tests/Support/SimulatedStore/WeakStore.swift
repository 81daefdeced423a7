import Dispatch
package import RecordStore
import Synchronization

@testable import SQLiteRecordStore

/// A record store in memory with no more than the port promises, for tests of what rests on it.
package final class WeakStore: RecordStore {
    private let store: SimulatedStore
    private let isClosed = Atomic(false)
    private let hold = Mutex<Hold?>(nil)

    /// A write that is held between its sequences and its commit.
    package final class Hold: Sendable {
        private let begun = AsyncStream.makeStream(of: Void.self)
        private let released = AsyncStream.makeStream(of: Void.self)

        /// Waits until the write has taken its sequences.
        package func untilBegun() async { for await _ in begun.stream {} }

        /// Lets it be committed.
        package func release() { released.continuation.finish() }

        fileprivate func wait() async {
            begun.continuation.finish()
            for await _ in released.stream {}
        }
    }

    /// - Parameter seed: decides what the store does, as far as it is not decided by the order of calls.
    package init(seed: UInt64) throws {
        let random = Mutex(SeededGenerator(seed: seed))
        store = try SimulatedStore(isWeak: true) { bound in
            random.withLock { Int.random(in: 0..<bound, using: &$0) }
        }
    }

    /// Holds the next write that adds rows.
    package func holdNextWrite() -> Hold {
        let next = Hold()
        hold.withLock { $0 = next }
        return next
    }

    package var incarnation: UInt64 { SimulatedStore.incarnation }

    package var capabilities: StoreCapabilities { store.capabilities }

    package func write<Result: Sendable>(
        in part: StorePart, _ body: @escaping @Sendable (any StoreTransaction) throws -> Result
    ) async throws -> Result {
        try check()
        return try await StoreError.mapping {
            if let held = hold.withLock({ $0.take() }) {
                defer { store.settleSoon() }
                if let result = try await store.writeLate(in: part, pause: { await held.wait() }, body) {
                    return result
                }
            }
            return try await store.write(in: part, pause: { await Task.yield() }, body)
        }
    }

    package func read<Result: Sendable>(
        _ body: @escaping @Sendable (any StoreReader) throws -> Result
    ) async throws -> Result {
        try check()
        return try await StoreError.mapping { try store.read(body) }
    }

    private final class Flag: Sendable {
        let value = Atomic(false)
    }

    package func readAtLength<Answer: Sendable>(
        for key: String,
        _ body: @escaping @Sendable (any StoreReader, _ hasToEnd: @escaping () -> Bool) throws -> Answer
    ) async throws -> Answer {
        try check()
        let hasToEnd = Flag()
        // On a thread of its own, as it may take as long as it likes.
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                DispatchQueue.global().async { [store] in
                    continuation.resume(
                        with: Result { try store.read { try body($0) { hasToEnd.value.load(ordering: .relaxed) } } })
                }
            }
        } onCancel: {
            hasToEnd.value.store(true, ordering: .relaxed)
        }
    }

    package func outboxChanges() -> AsyncStream<Void> { store.listen() }

    package func eraseDeleted() async throws -> Bool { true }

    package func close() async { isClosed.store(true, ordering: .relaxed) }

    private func check() throws {
        if isClosed.load(ordering: .relaxed) { throw StoreError.unavailable("the store is closed") }
    }
}
