import CRDKafka

/// The partitions that a consumer's thread reads; decides which messages may reach the handler.
///
/// A message names its partition by the topic's handle and a number. The handle is kept here as long as a partition of
/// the topic is, so no other topic can have its address. It belongs to one thread.
struct PartitionTable {
    /// One partition that is being read.
    struct Reading {
        let partition: KafkaTopicPartition
        /// The lowest offset that has not been handed on: below it everything is a duplicate.
        var nextOffset: Int64
        /// Held back, such as between its revocation and its release.
        var isMuted = false
        /// Its index in the batch of the sift with this number.
        fileprivate var batchIndex: Int32 = 0
        fileprivate var sift: UInt64 = 0
    }

    /// Room for the entries of one batch.
    struct Entries {
        private let memory: UnsafeMutableBufferPointer<KafkaBatch.Entry>
        private var count = 0

        init(_ memory: UnsafeMutableBufferPointer<KafkaBatch.Entry>) {
            self.memory = memory
        }

        /// The entries that were appended.
        var all: UnsafeBufferPointer<KafkaBatch.Entry> { UnsafeBufferPointer(rebasing: memory[..<count]) }

        fileprivate mutating func append(_ entry: KafkaBatch.Entry) {
            memory.initializeElement(at: count, to: entry)
            count += 1
        }
    }

    private struct Key: Hashable {
        let topic: OpaquePointer
        let partition: Int32
    }

    private var readings: [Key: Reading] = [:]
    private var sifts: UInt64 = 0
    private var topics: [String: (handle: TopicHandle, partitions: Set<Int32>)] = [:]

    /// The number of partitions that are being read.
    var count: Int { readings.count }

    /// The partitions that are being read.
    var partitions: [KafkaTopicPartition] { readings.values.map(\.partition) }

    /// Returns true if messages of `topic` can be recognized already.
    func knows(_ topic: String) -> Bool { topics[topic] != nil }

    /// Starts to read `partition` at `offset`, or restarts it there; returns the topic's handle.
    mutating func add(
        _ partition: KafkaTopicPartition, offset: Int64, client: Client
    ) throws(KafkaError) -> OpaquePointer {
        let handle: TopicHandle
        if let known = topics[partition.topic]?.handle {
            handle = known
        } else {
            handle = try TopicHandle(partition.topic, of: client)
            topics[partition.topic] = (handle, [])
        }
        topics[partition.topic]!.partitions.insert(partition.partition)
        // Below zero are librdkafka's names for the ends of a partition.
        readings[Key(topic: handle.pointer, partition: partition.partition)] =
            Reading(partition: partition, nextOffset: max(offset, 0))
        return handle.pointer
    }

    /// The state of a partition, nil if it is not being read.
    subscript(partition: KafkaTopicPartition) -> Reading? {
        get { key(of: partition).flatMap { readings[$0] } }
        set { if let key = key(of: partition) { readings[key] = newValue } }
    }

    /// The handle of the partition's topic, while the partition is being read.
    func handle(of partition: KafkaTopicPartition) -> OpaquePointer? { key(of: partition)?.topic }

    /// Reads a partition no longer; the last one of a topic frees its handle.
    mutating func remove(_ partition: KafkaTopicPartition) {
        guard let key = key(of: partition), readings.removeValue(forKey: key) != nil else { return }
        topics[partition.topic]!.partitions.remove(partition.partition)
        guard topics[partition.topic]!.partitions.isEmpty else { return }
        topics.removeValue(forKey: partition.topic)!.handle.destroy()
    }

    /// Puts the messages for the handler into `entries`, in their order, and frees the others: of partitions that are
    /// not read or are held back, and duplicates. Messages with an error go to `failed`, which must not keep them.
    /// Returns the partitions by the entries' indices.
    mutating func sift(
        _ messages: UnsafeBufferPointer<UnsafeMutablePointer<rd_kafka_message_t>?>, into entries: inout Entries,
        failed: (UnsafeMutablePointer<rd_kafka_message_t>, KafkaTopicPartition?) -> Void
    ) -> [KafkaTopicPartition] {
        var partitions: [KafkaTopicPartition] = []
        sifts += 1
        var index = 0
        while index < messages.count {
            let first = messages[index]!
            let (topic, number) = (first.pointee.rkt, first.pointee.partition)
            let key = topic.map { Key(topic: $0, partition: number) }
            var reading = key.flatMap { readings[$0] }
            let isReadable = reading?.isMuted == false
            var next = reading?.nextOffset ?? 0
            var partitionIndex = reading?.sift == sifts ? reading!.batchIndex : -1
            // The run of this partition.
            repeat {
                let message = messages[index]!
                if message.pointee.err != RD_KAFKA_RESP_ERR_NO_ERROR {
                    failed(message, reading?.partition)
                    rd_kafka_message_destroy(message)
                } else if isReadable, message.pointee.offset >= next {
                    next = message.pointee.offset + 1
                    if partitionIndex < 0 {
                        partitionIndex = Int32(partitions.count)
                        partitions.append(reading!.partition)
                    }
                    entries.append(KafkaBatch.Entry(message: message, partitionIndex: partitionIndex))
                } else {
                    rd_kafka_message_destroy(message)
                }
                index += 1
            } while index < messages.count && messages[index]!.pointee.rkt == topic
                && messages[index]!.pointee.partition == number
            reading?.nextOffset = next
            if partitionIndex >= 0 { (reading!.sift, reading!.batchIndex) = (sifts, partitionIndex) }
            if let key, let reading { readings[key] = reading }
        }
        return partitions
    }

    /// Frees all handles.
    mutating func removeAll() {
        for topic in topics.values { topic.handle.destroy() }
        topics = [:]
        readings = [:]
    }

    private func key(of partition: KafkaTopicPartition) -> Key? {
        guard let topic = topics[partition.topic] else { return nil }
        return Key(topic: topic.handle.pointer, partition: partition.partition)
    }
}
