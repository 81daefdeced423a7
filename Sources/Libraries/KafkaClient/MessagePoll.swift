import CRDKafka

/// Takes messages from one queue of librdkafka and lends them to a handler. It belongs to one thread.
final class MessagePoll {
    /// A message that is none, as librdkafka reports errors of a partition.
    struct Failure {
        let partition: KafkaTopicPartition?
        let code: rd_kafka_resp_err_t
        let offset: Int64
        let text: String
    }

    /// As many messages as one call of a handler gets at most.
    private static let capacity = 4_096

    let queue: OpaquePointer
    private let buffer = UnsafeMutableBufferPointer<UnsafeMutablePointer<rd_kafka_message_t>?>.allocate(
        capacity: MessagePoll.capacity)
    private let entries = UnsafeMutableBufferPointer<KafkaBatch.Entry>.allocate(capacity: MessagePoll.capacity)

    /// Takes the queue over: `close` destroys it.
    init(queue: OpaquePointer, wakeup: Wakeup) {
        self.queue = queue
        wakeup.attach(to: queue)
    }

    deinit {
        buffer.deallocate()
        entries.deallocate()
    }

    /// Detaches the queue and gives it back, before the client is destroyed.
    func close() {
        Wakeup.detach(from: queue)
        rd_kafka_queue_destroy(queue)
    }

    /// Takes available messages, which also runs librdkafka's callbacks on this thread; empty if there are none.
    func take() -> UnsafeBufferPointer<UnsafeMutablePointer<rd_kafka_message_t>?> {
        // With a time-out the call would wait for a full buffer.
        let count = rd_kafka_consume_batch_queue(queue, 0, buffer.baseAddress, Self.capacity)
        return UnsafeBufferPointer(rebasing: buffer[..<max(count, 0)])
    }

    /// Lends those messages that `table` lets pass to `handler`, frees all, and returns those that are errors.
    func hand(
        _ messages: UnsafeBufferPointer<UnsafeMutablePointer<rd_kafka_message_t>?>, through table: inout PartitionTable,
        to handler: (KafkaBatch) -> Void
    ) -> [Failure] {
        guard !messages.isEmpty else { return [] }
        var failures: [Failure] = []
        var passed = PartitionTable.Entries(entries)
        let partitions = table.sift(messages, into: &passed) { message, partition in
            failures.append(
                Failure(
                    partition: partition, code: message.pointee.err, offset: message.pointee.offset,
                    text: rd_kafka_message_errstr(message).map { String(cString: $0) } ?? ""))
        }
        guard !passed.all.isEmpty else { return failures }
        let batch = KafkaBatch(passed.all, partitions: partitions)
        handler(batch)
        batch.removeAll()
        return failures
    }
}
