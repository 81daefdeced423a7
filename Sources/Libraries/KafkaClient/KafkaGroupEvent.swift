/// An event for the handler of a `KafkaGroupConsumer`, on the consumer's thread.
package enum KafkaGroupEvent {
    /// The group gives these partitions to this member: call `start` for each when it is known where to begin. None of
    /// their messages comes before that.
    case assigned([KafkaTopicPartition])
    /// The group wants these partitions back: commit the work, then call `release` for all of them. None of their
    /// messages comes after this; librdkafka also holds the others back until the release.
    case revoked([KafkaTopicPartition])
    /// These partitions are not this member's any more, and others may have them already: drop the work. There is
    /// nothing to release, and commits for them are refused.
    case lost([KafkaTopicPartition])
    /// Messages of partitions that were started, lent for the time of the call.
    case messages(KafkaBatch)
    /// Every readable message up to this offset has been passed on. Reported each time the end is reached.
    case endOfPartition(KafkaTopicPartition, offset: Int64)
    /// The next offset does not exist: it was removed, or is beyond the end; the watermarks show which. The partition
    /// stays this member's; `seek` to go on.
    case offsetOutOfRange(KafkaTopicPartition, offset: Int64)
    /// Something that the consumer tries to get over by itself, or, if it is fatal, cannot.
    case error(KafkaError)
}
