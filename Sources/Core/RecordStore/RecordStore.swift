/// The store port: records, subscriptions, devices, users and the outbox of one container's environment.
///
/// A write that returns is on disk, and its closure may have run more than once. `DESIGN.md` has the contract. What a
/// store itself cannot do is a `StoreError`; what a closure throws is thrown unchanged.
package protocol RecordStore: Sendable {
    /// The identity of the store: a random number given when it was made. Sequences of another store mean nothing here.
    var incarnation: UInt64 { get }

    /// The limits of the store.
    var capabilities: StoreCapabilities { get }

    /// Runs a closure in a write transaction; what it throws undoes it and is thrown.
    /// - Parameters:
    ///   - part: what the closure works on.
    ///   - body: may run again from its beginning, and then the earlier runs are undone: it has no effects outside, but
    ///     for its result, and keeps nothing from one run to the next.
    func write<Result: Sendable>(
        in part: StorePart, _ body: @escaping @Sendable (any StoreTransaction) throws -> Result
    ) async throws -> Result

    /// Runs a closure over one consistent state, beside the writer.
    func read<Result: Sendable>(
        _ body: @escaping @Sendable (any StoreReader) throws -> Result
    ) async throws -> Result

    /// Runs a closure that may take long over one consistent state: apart from short reads, few at a time, and fair
    /// between keys. It begins when its turn has come, and ends when the task is cancelled.
    /// - Parameters:
    ///   - key: the user or sender that it is for.
    ///   - body: is given a function that returns true once it has to end.
    /// - Throws: `CloudError` with `TRY_AGAIN_LATER` when too many wait, and with `QUOTA_EXCEEDED` when it takes too
    ///   long; `CancellationError`.
    func readAtLength<Result: Sendable>(
        for key: String,
        _ body: @escaping @Sendable (any StoreReader, _ hasToEnd: @escaping () -> Bool) throws -> Result
    ) async throws -> Result

    /// Wakes the publisher of the outbox: an element follows every commit that added rows since the call, also of other
    /// processes, theirs within a second. One element may stand for several commits, or for none.
    func outboxChanges() -> AsyncStream<Void>

    /// Overwrites deleted rows, index entries, words and log frames in the store's files. Others go on meanwhile.
    /// - Returns: false if others were in the way, so that some of it is left.
    func eraseDeleted() async throws -> Bool

    /// Ends after running transactions; later ones fail with `StoreError.unavailable`.
    func close() async
}
