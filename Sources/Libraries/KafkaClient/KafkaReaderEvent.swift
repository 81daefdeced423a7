/// An event that a `KafkaPartitionReader` tells its handler, on the reader's thread.
package enum KafkaReaderEvent {
    /// Messages of partitions that were added, lent for the time of the call.
    case messages(KafkaBatch)
    /// Everything up to this offset, of what can be read now, has been handed on. Told each time the end is reached; the
    /// offset may lie above the last message's by what is no message (markers of transactions).
    case endOfPartition(KafkaTopicPartition, offset: Int64)
    /// The offset to be read next is not there: retention or a deletion removed it, or it lies beyond the end. Which of
    /// the two, the watermarks tell. The reader has dropped the partition; add it again to go on.
    case offsetOutOfRange(KafkaTopicPartition, offset: Int64)
    /// The topic or the partition of it does not exist, or no longer. The reader has dropped it.
    case unknownPartition(KafkaTopicPartition)
    /// Something that the reader tries to get over by itself, or, if it is fatal, cannot.
    case error(KafkaError)
}
