/// A topic as it is.
package struct TopicDescription: Hashable, Sendable {
    /// The name.
    package var name: TopicName
    /// How many partitions it has.
    package var partitions: Int32
    /// How its old entries go.
    package var cleanup: TopicSpecification.Cleanup
    /// The largest entry that it takes, in bytes.
    package var messageBytesMax: Int
    /// Which topic of that name this is: a random number given when it was made. Nil where the topic is no source.
    package var incarnation: UInt64?
    /// How many brokers hold each partition; 1 on the embedded logs.
    package var replicationFactor: Int

    package init(
        name: TopicName, partitions: Int32, cleanup: TopicSpecification.Cleanup, messageBytesMax: Int,
        incarnation: UInt64?, replicationFactor: Int
    ) {
        self.name = name
        self.partitions = partitions
        self.cleanup = cleanup
        self.messageBytesMax = messageBytesMax
        self.incarnation = incarnation
        self.replicationFactor = replicationFactor
    }
}
