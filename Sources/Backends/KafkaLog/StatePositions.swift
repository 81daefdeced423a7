import EventLog
import KafkaClient
import Synchronization

/// The positions that were committed with a stage's state, which the members of groups report to Kafka.
///
/// The authoritative one is in the state. The group's is for tools, which show the lag, and so is reported separately
/// and a little later: within the state's transaction it took three more requests, and a second topic to be marked at
/// its end.
final class StatePositions: Sendable {
    private let noted = Mutex<[GroupName: [KafkaTopicPartition: Int64]]>([:])
    /// The partitions whose positions are in state, by group.
    private let known = Mutex<[GroupName: Set<KafkaTopicPartition>]>([:])

    /// Notes that the position of a partition is in state.
    func expect(_ partition: TopicPartition, in group: GroupName) {
        known.withLock { _ = $0[group, default: []].insert(partition.kafka) }
    }

    /// Notes the starting offset of a partition whose position is in state: its former owner may have ended before it
    /// reported to the group, or it is a recreated topic.
    func begun(from offset: Int64, of partition: TopicPartition, in group: GroupName) {
        guard offset >= 0, known.withLock({ $0[group]?.contains(partition.kafka) == true }) else { return }
        note(offset, of: partition, in: group)
    }

    /// Notes the next offset that was committed with the state of a partition.
    func note(_ offset: Int64, of partition: TopicPartition, in group: GroupName) {
        noted.withLock { $0[group, default: [:]][partition.kafka] = offset }
    }

    /// Takes the noted positions for those partitions of a group that are the member's.
    func take(of group: GroupName, where isMine: (KafkaTopicPartition) -> Bool) -> [KafkaTopicPartition: Int64] {
        noted.withLock { noted in
            let mine = (noted[group] ?? [:]).filter { isMine($0.key) }
            for partition in mine.keys { noted[group]?[partition] = nil }
            return mine
        }
    }

    /// Puts back positions that could not be reported, except where a later one was noted meanwhile.
    func putBack(_ offsets: [KafkaTopicPartition: Int64], of group: GroupName) {
        noted.withLock { $0[group, default: [:]].merge(offsets) { newer, _ in newer } }
    }
}
