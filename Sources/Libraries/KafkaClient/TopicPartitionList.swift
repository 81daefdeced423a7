import CRDKafka

/// A `rd_kafka_topic_partition_list_t` of our own, freed with the value.
struct TopicPartitionList: ~Copyable {
    private let list: UnsafeMutablePointer<rd_kafka_topic_partition_list_t>

    /// One entry of a list as librdkafka answers it.
    struct Entry {
        let partition: KafkaTopicPartition
        let offset: Int64
        let metadata: String
        let code: rd_kafka_resp_err_t
    }

    init(capacity: Int) {
        list = rd_kafka_topic_partition_list_new(Int32(clamping: capacity))
    }

    /// The partitions without offsets.
    init(_ partitions: some Collection<KafkaTopicPartition>) {
        self.init(capacity: partitions.count)
        for partition in partitions { add(partition) }
    }

    /// The partitions with offsets.
    init(_ offsets: [KafkaTopicPartition: Int64]) {
        self.init(capacity: offsets.count)
        for (partition, offset) in offsets { add(partition, offset: offset) }
    }

    /// The partitions with offsets and their texts.
    init(_ offsets: [KafkaTopicPartition: KafkaCommittedOffset]) {
        self.init(capacity: offsets.count)
        for (partition, committed) in offsets { add(partition, offset: committed.offset, metadata: committed.metadata) }
    }

    deinit { rd_kafka_topic_partition_list_destroy(list) }

    /// Appends an entry; `offset` is whatever the call at hand reads there, also a time.
    func add(_ partition: KafkaTopicPartition, offset: Int64 = Int64(RD_KAFKA_OFFSET_INVALID), metadata: String = "") {
        let entry = rd_kafka_topic_partition_list_add(list, partition.topic, partition.partition)!
        entry.pointee.offset = offset
        guard !metadata.isEmpty else { return }
        var metadata = metadata
        metadata.withUTF8 { bytes in
            // The list frees it.
            let copy = rd_kafka_mem_malloc(nil, bytes.count)!
            copy.copyMemory(from: bytes.baseAddress!, byteCount: bytes.count)
            entry.pointee.metadata = copy
            entry.pointee.metadata_size = bytes.count
        }
    }

    /// Lends the list to a call, which may write into it.
    borrowing func withPointer<Value: ~Copyable, Failure: Error>(
        _ body: (UnsafeMutablePointer<rd_kafka_topic_partition_list_t>) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        try body(list)
    }

    /// The entries as they stand.
    borrowing func entries() -> [Entry] { Self.entries(of: list) }

    /// The entries of a list that belongs to something else.
    static func entries(of list: UnsafePointer<rd_kafka_topic_partition_list_t>) -> [Entry] {
        UnsafeBufferPointer(start: list.pointee.elems, count: Int(list.pointee.cnt)).map { element in
            Entry(
                partition: KafkaTopicPartition(topic: String(cString: element.topic), partition: element.partition),
                offset: element.offset,
                metadata: String(
                    decoding: UnsafeRawBufferPointer(start: element.metadata, count: element.metadata_size),
                    as: UTF8.self),
                code: element.err)
        }
    }

    /// The entries of a list that belongs to something else; none for NULL.
    static func entries(of list: UnsafeMutablePointer<rd_kafka_topic_partition_list_t>) -> [Entry] {
        entries(of: UnsafePointer(list))
    }
}
