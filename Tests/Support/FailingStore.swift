package import RecordStore
import Synchronization

/// A record store whose calls fail with an error for as long as one is set.
package final class FailingStore: RecordStore {
    private let store: any RecordStore
    private let failure = Mutex<StoreError?>(nil)

    package init(_ store: any RecordStore) { self.store = store }

    /// Sets what calls fail with from now on; nil lets them through.
    package func fail(with error: StoreError?) { failure.withLock { $0 = error } }

    package var incarnation: UInt64 { store.incarnation }
    package var capabilities: StoreCapabilities { store.capabilities }

    package func write<Result: Sendable>(
        in part: StorePart, _ body: @escaping @Sendable (any StoreTransaction) throws -> Result
    ) async throws -> Result {
        try check()
        return try await store.write(in: part, body)
    }

    package func read<Result: Sendable>(
        _ body: @escaping @Sendable (any StoreReader) throws -> Result
    ) async throws -> Result {
        try check()
        return try await store.read(body)
    }

    package func readAtLength<Result: Sendable>(
        for key: String,
        _ body: @escaping @Sendable (any StoreReader, _ hasToEnd: @escaping () -> Bool) throws -> Result
    ) async throws -> Result {
        try check()
        return try await store.readAtLength(for: key, body)
    }

    package func outboxChanges() -> AsyncStream<Void> { store.outboxChanges() }

    package func eraseDeleted() async throws -> Bool {
        try check()
        return try await store.eraseDeleted()
    }

    package func close() async { await store.close() }

    private func check() throws {
        if let error = failure.withLock({ $0 }) { throw error }
    }
}
