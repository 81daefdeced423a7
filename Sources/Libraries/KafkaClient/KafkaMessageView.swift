import CRDKafka

/// One message of a `KafkaBatch`, still in librdkafka's memory; its buffers are valid in the closure that got it.
package struct KafkaMessageView: ~Copyable {
    private let message: UnsafeMutablePointer<rd_kafka_message_t>
    /// Unsafe, as counting references costs more than all else here: a view never outlives the loop over its batch.
    private unowned(unsafe) let batch: KafkaBatch
    /// The index, among the batch's `partitions`, of the one it was read from.
    package let partitionIndex: Int

    init(_ entry: KafkaBatch.Entry, of batch: KafkaBatch) {
        self.message = entry.message
        self.partitionIndex = Int(entry.partitionIndex)
        self.batch = batch
    }

    /// The partition that it was read from.
    package var source: KafkaTopicPartition { batch.partitions[partitionIndex] }

    /// Its offset in the partition.
    package var offset: Int64 { message.pointee.offset }

    /// Milliseconds since 1970 as the producer or the broker set them, -1 if unknown.
    package var timestampMilliseconds: Int64 { rd_kafka_message_timestamp(message, nil) }

    /// The key, nil if it has none.
    package var key: UnsafeRawBufferPointer? {
        message.pointee.key.map { UnsafeRawBufferPointer(start: $0, count: message.pointee.key_len) }
    }

    /// The value, nil for a tombstone.
    package var value: UnsafeRawBufferPointer? {
        message.pointee.payload.map { UnsafeRawBufferPointer(start: $0, count: message.pointee.len) }
    }

    /// The headers, in order, copied.
    package var headers: [KafkaHeader] {
        var list: OpaquePointer?
        guard rd_kafka_message_headers(message, &list) == RD_KAFKA_RESP_ERR_NO_ERROR else { return [] }
        var headers: [KafkaHeader] = []
        var name: UnsafePointer<CChar>?
        var value: UnsafeRawPointer?
        var count = 0
        while rd_kafka_header_get_all(list, headers.count, &name, &value, &count) == RD_KAFKA_RESP_ERR_NO_ERROR {
            let bytes = UnsafeRawBufferPointer(start: value, count: value == nil ? 0 : count)
            headers.append(KafkaHeader(name: String(cString: name!), value: Array(bytes)))
        }
        return headers
    }

    /// The message as a value that outlives the handler's call.
    package func copy() -> KafkaMessage {
        let source = source
        return KafkaMessage(
            topic: source.topic, partition: source.partition, offset: offset,
            timestampMilliseconds: timestampMilliseconds, key: key.map { Array($0) }, value: value.map { Array($0) },
            headers: headers)
    }
}
