import CRDKafka

/// Messages as librdkafka read them, lent to a handler for the time of its call: afterwards it is empty.
///
/// Messages of one partition are in the order of their offsets, mostly in runs.
package final class KafkaBatch {
    /// A message, and which of the batch's partitions it was read from.
    struct Entry {
        let message: UnsafeMutablePointer<rd_kafka_message_t>
        let partitionIndex: Int32
    }

    /// The partitions that have messages in it; `KafkaMessageView.partitionIndex` counts in this array.
    package private(set) var partitions: [KafkaTopicPartition]
    /// Memory of the poll that lends the batch.
    private var entries: UnsafeBufferPointer<Entry>

    init(_ entries: UnsafeBufferPointer<Entry>, partitions: [KafkaTopicPartition]) {
        self.entries = entries
        self.partitions = partitions
    }

    /// The number of messages.
    package var count: Int { entries.count }

    /// The bytes of all keys and values.
    package var payloadBytes: Int { entries.reduce(0) { $0 + $1.message.pointee.len + $1.message.pointee.key_len } }

    /// Goes over the messages without copying them.
    // Swift 6.3.1's optimiser crashes when it inlines this into a caller.
    @inline(never)
    package func forEach(_ body: (borrowing KafkaMessageView) throws -> Void) rethrows {
        for entry in entries { try body(KafkaMessageView(entry, of: self)) }
    }

    /// All messages as values that outlive the handler's call.
    package func copies() -> [KafkaMessage] {
        entries.map { KafkaMessageView($0, of: self).copy() }
    }

    /// Frees the messages, so that a batch that was kept is empty and has no freed memory.
    func removeAll() {
        for entry in entries { rd_kafka_message_destroy(entry.message) }
        entries = UnsafeBufferPointer(start: nil, count: 0)
        partitions = []
    }
}
