/// An event for the handler of a `KafkaPartitionReader`, on the reader's thread.
package enum KafkaReaderEvent {
    /// Messages of partitions that were added, lent for the time of the call.
    case messages(KafkaBatch)
    /// Every readable message up to this offset has been passed on. Reported each time the end is reached; the offset
    /// may be above the last message's because of transaction markers.
    case endOfPartition(KafkaTopicPartition, offset: Int64)
    /// The next offset does not exist: retention or a deletion removed it, or it is beyond the end; the watermarks show
    /// which. The reader has dropped the partition; add it again to go on.
    case offsetOutOfRange(KafkaTopicPartition, offset: Int64)
    /// The topic or the partition of it does not exist, or no longer. The reader has dropped it.
    case unknownPartition(KafkaTopicPartition)
    /// Something that the reader tries to get over by itself, or, if it is fatal, cannot.
    case error(KafkaError)
}
