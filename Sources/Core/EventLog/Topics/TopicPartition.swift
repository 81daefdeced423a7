/// One partition of a topic: an ordered log of its own.
package struct TopicPartition: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The topic.
    package var topic: TopicName
    /// From 0.
    package var partition: Int32

    package init(_ topic: TopicName, _ partition: Int32 = 0) {
        self.topic = topic
        self.partition = partition
    }

    package static func < (left: TopicPartition, right: TopicPartition) -> Bool {
        (left.topic, left.partition) < (right.topic, right.partition)
    }

    package var description: String { "\(topic)/\(partition)" }
}
