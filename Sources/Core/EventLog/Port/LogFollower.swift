/// Reads one partition in order, from an offset on.
package protocol LogFollower: Sendable {
    /// The next entries; waits for them. Each time the end is reached it is reported once, by an empty batch if
    /// necessary.
    /// - Throws: `LogError.offsetOutOfRange` if the entries were removed meanwhile, `LogError.unknownTopic` if the
    ///   topic was, `LogError.closed` after `close()`, `CancellationError`.
    func next() async throws -> LogBatch

    /// Ends the following; a waiting `next()` throws.
    func close()
}
