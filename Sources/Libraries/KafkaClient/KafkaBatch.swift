import CRDKafka

/// Messages as librdkafka read them, lent to a handler for the time of its call: afterwards it is empty.
///
/// Messages of one partition stand in the order of their offsets, mostly in runs.
package final class KafkaBatch {
    /// The partitions that have messages in it; `KafkaMessageView.partitionIndex` counts in this array.
    package private(set) var partitions: [KafkaTopicPartition] = []
    private var messages: [UnsafeMutablePointer<rd_kafka_message_t>] = []
    private var partitionIndices: [Int32] = []

    init(capacity: Int) {
        messages.reserveCapacity(capacity)
        partitionIndices.reserveCapacity(capacity)
    }

    /// How many messages there are.
    package var count: Int { messages.count }

    /// The bytes of all keys and values.
    package var payloadBytes: Int { messages.reduce(0) { $0 + $1.pointee.len + $1.pointee.key_len } }

    /// Goes over the messages without copying them.
    // Swift 6.3.1's optimiser crashes when it inlines this into a caller.
    @inline(never)
    package func forEach(_ body: (borrowing KafkaMessageView) throws -> Void) rethrows {
        for index in messages.indices {
            try body(KafkaMessageView(messages[index], partitionIndex: Int(partitionIndices[index]), batch: self))
        }
    }

    /// All messages as values that outlive the handler's call.
    package func copies() -> [KafkaMessage] {
        messages.indices.map { index in
            KafkaMessageView(messages[index], partitionIndex: Int(partitionIndices[index]), batch: self).copy()
        }
    }

    /// Enters a partition that has messages in it, and returns its index.
    func add(_ partition: KafkaTopicPartition) -> Int32 {
        partitions.append(partition)
        return Int32(partitions.count - 1)
    }

    @inline(__always)
    func append(_ message: UnsafeMutablePointer<rd_kafka_message_t>, partitionIndex: Int32) {
        messages.append(message)
        partitionIndices.append(partitionIndex)
    }

    /// Frees the messages, so that a batch that was kept holds nothing rather than what is freed.
    func removeAll() {
        for message in messages { rd_kafka_message_destroy(message) }
        messages = []
        partitionIndices = []
        partitions = []
    }
}
