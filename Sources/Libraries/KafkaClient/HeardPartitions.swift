/// The partitions that a reader has heard of, and those that it has begun with and not heard of since.
///
/// librdkafka says only after a while, `topic.metadata.propagation.max.ms`, that a partition is gone. So whether one exists is asked for, of
/// those that are new to the reader at once, of the others when nothing came of them for a moment. A broker may answer from before a
/// deletion: as long as nothing comes, the question is asked again, after twice the time.
package struct HeardPartitions {
    /// The time after which it is asked whether a partition exists that was heard of before: some fetches of a busy broker.
    package static let patienceMilliseconds = 100
    /// The time after which it is asked again for one that is new to the reader: some fetches after its leader was found.
    package static let patienceOfNewMilliseconds = 1_000
    /// The longest time between two questions for a partition of which nothing comes.
    package static let patienceMaxMilliseconds = 5_000
    /// Partitions that are remembered, about 100 bytes each. Of those that are forgotten it is asked at once again.
    private static let partitionsMax = 20_000

    private struct Wait {
        var milliseconds: Int
        var deadline: ContinuousClock.Instant
    }

    private var known: Set<KafkaTopicPartition> = []
    private var awaited: [KafkaTopicPartition: Wait] = [:]

    package init() {}

    /// True while something is awaited.
    package var isWaiting: Bool { !awaited.isEmpty }

    /// Returns true for a partition of which something came, and of which nothing speaks against its existence since.
    package func knows(_ partition: KafkaTopicPartition) -> Bool { known.contains(partition) }

    /// Something of a partition came, or its end.
    package mutating func note(_ partition: KafkaTopicPartition) {
        if !awaited.isEmpty { awaited[partition] = nil }
        guard !known.contains(partition) else { return }
        if known.count == Self.partitionsMax { known.removeAll(keepingCapacity: true) }
        known.insert(partition)
    }

    /// Begins to wait for something of a partition.
    package mutating func expect(_ partition: KafkaTopicPartition, now: ContinuousClock.Instant = .now) {
        let milliseconds = knows(partition) ? Self.patienceMilliseconds : Self.patienceOfNewMilliseconds
        awaited[partition] = Wait(milliseconds: milliseconds, deadline: now + .milliseconds(milliseconds))
    }

    /// Waits no longer for something of a partition.
    package mutating func forget(_ partition: KafkaTopicPartition) { awaited[partition] = nil }

    /// Returns the partitions of which nothing came in time. They are waited for on, for twice the time.
    package mutating func overdue(now: ContinuousClock.Instant = .now) -> [KafkaTopicPartition] {
        guard !awaited.isEmpty else { return [] }
        let overdue = awaited.filter { $0.value.deadline <= now }
        for (partition, wait) in overdue {
            let milliseconds = min(2 * wait.milliseconds, Self.patienceMaxMilliseconds)
            awaited[partition] = Wait(milliseconds: milliseconds, deadline: now + .milliseconds(milliseconds))
            known.remove(partition)
        }
        return Array(overdue.keys)
    }
}
