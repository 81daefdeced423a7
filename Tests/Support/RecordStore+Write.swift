package import RecordStore

extension RecordStore {
    /// Writes what a test needs, of whatever part.
    package func write<Result: Sendable>(
        _ body: @escaping @Sendable (any StoreTransaction) throws -> Result
    ) async throws -> Result {
        try await write(in: .whole, body)
    }
}
