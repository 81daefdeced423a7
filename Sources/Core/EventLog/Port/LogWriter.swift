/// Appends entries: at least once, in order, without gaps.
package protocol LogWriter: Sendable {
    /// Appends entries and returns when all are stored for good. Entries of one partition keep their order, also over
    /// several calls; calls may overlap.
    ///
    /// Sizes and topics' existence are checked before anything is written. After any other failure the writer is dead:
    /// nothing that was appended after what failed is stored in its partition, and every later call throws.
    /// - Throws: `LogError.entryTooLarge` (the writer lives on), `LogError.writeFailed`, `LogError.closed`;
    ///   `CancellationError` within some two seconds of a cancellation. The writer lives on, for others share it; what was
    ///   handed over, or its beginning, may be stored later, so whoever goes on begins at the committed position.
    func append(_ entries: [OutgoingEntry]) async throws

    /// Ends the writer.
    func close() async
}
