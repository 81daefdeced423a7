import RecordStore
import TestSupport

/// The store port of one process.
struct StorePort: RecordStore {
    let store: SimulatedStore
    let life: Life

    var incarnation: UInt64 { SimulatedStore.incarnation }
    var capabilities: StoreCapabilities { store.capabilities }

    func write<Result: Sendable>(
        in part: StorePart, _ body: @escaping @Sendable (any StoreTransaction) throws -> Result
    ) async throws -> Result {
        try await enter()
        let result = try await store.write(in: part, pause: { try await enter() }, body)
        // A process may die between a commit and the answer.
        try await enter()
        return result
    }

    func read<Result: Sendable>(
        _ body: @escaping @Sendable (any StoreReader) throws -> Result
    ) async throws -> Result {
        try await enter()
        return try store.read(body)
    }

    func readAtLength<Result: Sendable>(
        for key: String,
        _ body: @escaping @Sendable (any StoreReader, _ hasToEnd: @escaping () -> Bool) throws -> Result
    ) async throws -> Result {
        try await enter()
        return try store.read { try body($0, { false }) }
    }

    func outboxChanges() -> AsyncStream<Void> { store.listen() }

    func eraseDeleted() async throws -> Bool { true }

    func close() async {}

    private func enter() async throws {
        await Task.yield()
        if life.isDead { throw StoreError.unavailable("the process is dead") }
    }
}
