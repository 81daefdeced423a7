import EventLog
import KafkaClient

/// The settings of a topic on Kafka: pure.
struct TopicSettings {
    /// The bytes that Kafka adds to a message of its own when it measures it against `max.message.bytes`, with room to
    /// spare: the head of a batch is 61 bytes, that of a record some 20, and each header takes a few more.
    static let overheadBytes = 4096

    /// The settings as Kafka names them, without an incarnation.
    let values: [String: String]

    /// The settings of a topic as wished.
    init(_ specification: TopicSpecification, replicas: Int) {
        var values = [
            "max.message.bytes": String(specification.messageBytesMax + Self.overheadBytes),
            "min.insync.replicas": String(Self.inSyncMin(replicas)),
            "unclean.leader.election.enable": "false",
            // A store whose clock is ahead would be refused for hours, and one whose clock is behind would have its
            // entries removed before they are read.
            "message.timestamp.type": "LogAppendTime",
        ]
        switch specification.cleanup {
        case .delete(let milliseconds):
            values["cleanup.policy"] = "delete"
            values["retention.ms"] = String(milliseconds)
        case .compact:
            values["cleanup.policy"] = "compact"
            // Only closed segments are compacted. The lag keeps what a reader that is starting has still to see.
            values["segment.ms"] = "3600000"
            values["segment.bytes"] = String(64 << 20)
            values["min.cleanable.dirty.ratio"] = "0.2"
            values["min.compaction.lag.ms"] = "600000"
        }
        self.values = values
    }

    /// The copies that have an entry when it is acknowledged: two, where one of them may be lost and two are left.
    private static func inSyncMin(_ replicas: Int) -> Int { max(1, min(2, replicas - 1)) }

    /// Returns the settings that have to be a new topic's own where these are the cluster's defaults.
    ///
    /// A broker (4.3) goes over all its logs for each topic with a setting of its own that comes or changes: with
    /// 10,000 of them making the next ones takes several times as long as without.
    func own(beside defaults: [String: String]) -> [String: String] { values.filter { defaults[$0.key] != $0.value } }

    /// Returns the settings to change of an existing topic; empty if it agrees with its specification.
    static func changes(_ specification: TopicSpecification, _ present: KafkaTopicDescription) -> [String: String] {
        let replicas = present.partitions.first?.replicas.count ?? 1
        var changes = TopicSettings(specification, replicas: replicas).values.filter {
            present.configuration[$0.key] != $0.value
        }
        if specification.isSource, TopicIncarnation.read(present.overrides) == nil {
            changes[TopicIncarnation.setting] = String(TopicIncarnation.random())
        }
        return changes
    }

    /// Describes a topic by what Kafka says of it.
    static func description(_ name: TopicName, _ present: KafkaTopicDescription) -> TopicDescription {
        let settings = present.configuration
        let retention = settings["retention.ms"].flatMap { Int64($0) } ?? -1
        let replicas = present.partitions.first?.replicas.count ?? 0
        let policies = settings["cleanup.policy"]?.split { $0 == "," || $0 == " " } ?? []
        let isCompacted = policies.contains("compact")
        return TopicDescription(
            name: name, partitions: Int32(present.partitions.count),
            cleanup: isCompacted ? .compact : .delete(afterMilliseconds: retention),
            messageBytesMax: (settings["max.message.bytes"].flatMap { Int($0) } ?? 1 << 20) - overheadBytes,
            incarnation: TopicIncarnation.read(present.overrides),
            replicationFactor: replicas, agesFromAppend: settings["message.timestamp.type"] == "LogAppendTime",
            keepsAcknowledged: settings["unclean.leader.election.enable"] == "false"
                && settings["min.insync.replicas"].flatMap { Int($0) } ?? 1 >= inSyncMin(replicas))
    }
}
