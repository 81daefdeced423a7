package import RecordStore

/// A record store that runs each closure of a write twice, as the port allows: the first run is undone. Whatever a
/// closure does outside of its transaction is done twice, and what it keeps from the first run is found in the second.
package final class RepeatingStore: RecordStore {
    private struct Again: Error {}

    private let store: any RecordStore

    package init(_ store: any RecordStore) { self.store = store }

    package var incarnation: UInt64 { store.incarnation }
    package var capabilities: StoreCapabilities { store.capabilities }

    package func write<Result: Sendable>(
        in part: StorePart, _ body: @escaping @Sendable (any StoreTransaction) throws -> Result
    ) async throws -> Result {
        do {
            // The work of a request is counted once.
            try await StoreWork.$current.withValue(nil) {
                try await store.write(in: part) { transaction in
                    _ = try body(transaction)
                    throw Again()
                }
            }
        } catch is Again {}
        return try await store.write(in: part, body)
    }

    package func read<Result: Sendable>(
        _ body: @escaping @Sendable (any StoreReader) throws -> Result
    ) async throws -> Result {
        try await store.read(body)
    }

    package func readAtLength<Result: Sendable>(
        for key: String,
        _ body: @escaping @Sendable (any StoreReader, _ hasToEnd: @escaping () -> Bool) throws -> Result
    ) async throws -> Result {
        try await store.readAtLength(for: key, body)
    }

    package func outboxChanges() -> AsyncStream<Void> { store.outboxChanges() }

    package func eraseDeleted() async throws -> Bool { try await store.eraseDeleted() }

    package func close() async { await store.close() }
}
