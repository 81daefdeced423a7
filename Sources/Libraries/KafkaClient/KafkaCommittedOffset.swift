/// A position committed for a group: the offset to read next, and a text that belongs to it.
package struct KafkaCommittedOffset: Hashable, Sendable {
    /// The offset of the next message to read.
    package let offset: Int64
    /// Data of the committer's, committed in one write with the offset; brokers take up to `offset.metadata.max.bytes`
    /// of it, 4096 by default.
    package let metadata: String

    /// The position `offset` with `metadata`.
    package init(offset: Int64, metadata: String = "") {
        self.offset = offset
        self.metadata = metadata
    }
}

/// The offsets at the two ends of a partition.
package struct KafkaWatermarks: Hashable, Sendable {
    /// The offset of the oldest message that is kept.
    package let low: Int64
    /// The offset that the next message will get (of the messages readable at the client's isolation level).
    package let high: Int64

    /// The watermarks `low` and `high`.
    package init(low: Int64, high: Int64) {
        self.low = low
        self.high = high
    }
}
