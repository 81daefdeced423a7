/// The store port: records, subscriptions, devices, users and the outbox of one container's environment.
///
/// Writes happen one after the other, in commit order; a write that returns is on disk.
package protocol RecordStore: Sendable {
    /// Which store this is: a random number given when it was made. Sequences of another store mean nothing here.
    var incarnation: UInt64 { get }

    /// Runs a closure in a write transaction; what it throws undoes it and is thrown.
    func write<Result: Sendable>(
        _ body: @escaping @Sendable (any StoreTransaction) throws -> Result
    ) async throws -> Result

    /// Runs a closure over one consistent state, beside the writer.
    func read<Result: Sendable>(
        _ body: @escaping @Sendable (any StoreReader) throws -> Result
    ) async throws -> Result

    /// Runs a closure that may take long over one consistent state: beside those that read a little, few at a time, and fair
    /// between keys. It is begun when its turn has come, and ends when the task is cancelled.
    /// - Parameters:
    ///   - key: whom it is for.
    ///   - body: is given what tells whether it has to end.
    /// - Throws: `CloudError` with `TRY_AGAIN_LATER` when too many wait, and with `QUOTA_EXCEEDED` when it takes too long;
    ///   `CancellationError`.
    func readAtLength<Result: Sendable>(
        for key: String,
        _ body: @escaping @Sendable (any StoreReader, _ hasToEnd: @escaping () -> Bool) throws -> Result
    ) async throws -> Result

    /// Ends after what runs.
    func close() async
}
