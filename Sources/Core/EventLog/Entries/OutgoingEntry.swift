/// An entry to be appended.
package struct OutgoingEntry: Hashable, Sendable {
    /// The partition it is appended to.
    package var partition: TopicPartition
    /// The key; nil where the topic needs none.
    package var key: [UInt8]?
    /// Nil removes the key from a compacted topic.
    package var value: [UInt8]?
    /// The headers, in this order.
    package var headers: [LogHeader]
    /// The time of the entry's event. A log with a clock of its own, as Kafka, replaces it: a wrong clock of a writer
    /// must not decide how long entries are kept.
    package var timestamp: LogTimestamp

    package init(
        _ partition: TopicPartition, key: [UInt8]?, value: [UInt8]?, headers: [LogHeader] = [], timestamp: LogTimestamp
    ) {
        self.partition = partition
        self.key = key
        self.value = value
        self.headers = headers
        self.timestamp = timestamp
    }

    /// Bytes of key, value and headers together, as limits count them.
    package var byteCount: Int {
        (key?.count ?? 0) + (value?.count ?? 0) + headers.reduce(0) { $0 + $1.name.utf8.count + $1.value.count }
    }
}
