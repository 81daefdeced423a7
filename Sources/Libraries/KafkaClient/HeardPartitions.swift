/// The partitions that a reader has heard of, and those of them that it has begun again and not heard of since.
///
/// librdkafka says only after a while, `topic.metadata.propagation.max.ms`, that a partition is gone. So whether one exists is asked for, of
/// those that are new to the reader at once, of the others when nothing came of them for a moment.
package struct HeardPartitions {
    /// The time after which it is asked whether a partition exists that was heard of before: some fetches of a busy broker.
    package static let patienceMilliseconds = 100
    /// Partitions that are remembered, about 100 bytes each. Of those that are forgotten it is asked at once again.
    private static let partitionsMax = 20_000

    private var known: Set<KafkaTopicPartition> = []
    private var awaited: [KafkaTopicPartition: (version: UInt64, deadline: ContinuousClock.Instant)] = [:]

    package init() {}

    /// True while something is awaited.
    package var isWaiting: Bool { !awaited.isEmpty }

    /// Something of a partition came, or its end.
    package mutating func note(_ partition: KafkaTopicPartition) {
        if !awaited.isEmpty { awaited[partition] = nil }
        guard !known.contains(partition) else { return }
        if known.count == Self.partitionsMax { known.removeAll(keepingCapacity: true) }
        known.insert(partition)
    }

    /// Begins to wait for something of a partition; false when the reader has never heard of it.
    package mutating func expect(
        _ partition: KafkaTopicPartition, version: UInt64, now: ContinuousClock.Instant = .now
    ) -> Bool {
        guard known.contains(partition) else { return false }
        awaited[partition] = (version, now + .milliseconds(Self.patienceMilliseconds))
        return true
    }

    /// Takes the partitions of which nothing came in time, with the versions of their assignments.
    package mutating func takeOverdue(now: ContinuousClock.Instant = .now) -> [(KafkaTopicPartition, UInt64)] {
        guard !awaited.isEmpty else { return [] }
        let overdue = awaited.filter { $0.value.deadline <= now }
        for partition in overdue.keys {
            awaited[partition] = nil
            known.remove(partition)
        }
        return overdue.map { ($0.key, $0.value.version) }
    }
}
