/// One partition of one topic.
package struct KafkaTopicPartition: Hashable, Sendable {
    /// The topic's name.
    package let topic: String
    /// The partition's number, from 0.
    package let partition: Int32

    /// The partition `partition` of `topic`.
    package init(topic: String, partition: Int32) {
        self.topic = topic
        self.partition = partition
    }
}

extension KafkaTopicPartition: Comparable, CustomStringConvertible {
    /// Topics by name, then partitions by number.
    package static func < (left: Self, right: Self) -> Bool {
        left.topic == right.topic ? left.partition < right.partition : left.topic < right.topic
    }

    /// `topic[partition]`.
    package var description: String { "\(topic)[\(partition)]" }
}
