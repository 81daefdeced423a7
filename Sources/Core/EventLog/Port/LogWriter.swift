/// Appends entries: at least once, in order, without gaps.
package protocol LogWriter: Sendable {
    /// Appends entries and returns when all are stored durably. Entries of one partition keep their order, also over
    /// several calls; calls may overlap.
    ///
    /// Sizes and the existence of topics are checked before anything is written. After any other failure the writer is
    /// dead: nothing that was appended after the failed entry is stored in its partition, and every later call throws.
    /// - Throws: `LogError.entryTooLarge` (the writer stays usable), `LogError.writeFailed`, `LogError.closed`;
    ///   `CancellationError` within some two seconds of a cancellation. Then the writer stays usable, as others share
    ///   it; the entries, or the first of them, may be stored later, so a successor starts at the committed position.
    func append(_ entries: [OutgoingEntry]) async throws

    /// Ends the writer.
    func close() async
}
