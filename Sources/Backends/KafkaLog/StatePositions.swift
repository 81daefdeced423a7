import EventLog
import KafkaClient
import Synchronization

/// The positions that were committed with a stage's state, for the members of groups that tell Kafka of them.
///
/// The one that counts stands in the state. The group's is for tools, which show how far it is behind, and so is told apart and a little later:
/// within the state's transaction it took three requests more, and a second topic to be marked at its end.
final class StatePositions: Sendable {
    private let noted = Mutex<[GroupName: [KafkaTopicPartition: Int64]]>([:])
    /// The partitions whose positions stand in state, by group.
    private let known = Mutex<[GroupName: Set<KafkaTopicPartition>]>([:])

    /// Says that the position of a partition stands in state.
    func expect(_ partition: TopicPartition, in group: GroupName) {
        known.withLock { _ = $0[group, default: []].insert(partition.kafka) }
    }

    /// Notes where a partition whose position stands in state is begun: whoever had it before may have ended before the group was told, or it
    /// is a topic that was made anew.
    func begun(from offset: Int64, of partition: TopicPartition, in group: GroupName) {
        guard offset >= 0, known.withLock({ $0[group]?.contains(partition.kafka) == true }) else { return }
        note(offset, of: partition, in: group)
    }

    /// Notes the next offset that was committed with the state of a partition.
    func note(_ offset: Int64, of partition: TopicPartition, in group: GroupName) {
        noted.withLock { $0[group, default: [:]][partition.kafka] = offset }
    }

    /// Takes what was noted for those partitions of a group that are the member's.
    func take(of group: GroupName, where isMine: (KafkaTopicPartition) -> Bool) -> [KafkaTopicPartition: Int64] {
        noted.withLock { noted in
            let mine = (noted[group] ?? [:]).filter { isMine($0.key) }
            for partition in mine.keys { noted[group]?[partition] = nil }
            return mine
        }
    }

    /// Puts back what could not be told, except where a later one was noted meanwhile.
    func putBack(_ offsets: [KafkaTopicPartition: Int64], of group: GroupName) {
        noted.withLock { $0[group, default: [:]].merge(offsets) { newer, _ in newer } }
    }
}
