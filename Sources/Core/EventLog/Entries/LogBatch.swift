/// Entries of one partition, in order.
package struct LogBatch: Sendable {
    /// Ascending by offset; offsets may be missing (compaction, transaction markers). Empty if the batch only reports
    /// the end.
    package var entries: [LogEntry]
    /// The offset to read from next.
    package var nextOffset: Int64
    /// True if there was nothing more when the batch was taken.
    package var isAtEnd: Bool

    package init(entries: [LogEntry], nextOffset: Int64, isAtEnd: Bool) {
        self.entries = entries
        self.nextOffset = nextOffset
        self.isAtEnd = isAtEnd
    }
}
