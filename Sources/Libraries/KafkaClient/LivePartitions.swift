/// The partitions of which a reader has seen an event, and the started ones without an event since.
///
/// librdkafka reports only after a while, `topic.metadata.propagation.max.ms`, that a partition is gone. So the reader
/// asks whether a partition exists: for new ones at once, for others after a moment without an event. A broker may
/// answer with its state before a deletion: while no event comes, the request is repeated, after twice the time.
package struct LivePartitions {
    /// The time after which the existence of a known partition is checked: some fetches of a busy broker.
    package static let patienceMilliseconds = 100
    /// The time after which the existence of a new partition is checked again: some fetches after its leader was found.
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
