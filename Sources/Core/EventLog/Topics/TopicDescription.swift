/// A topic as it is.
package struct TopicDescription: Hashable, Sendable {
    /// The name.
    package var name: TopicName
    /// The number of partitions.
    package var partitions: Int32
    /// The way in which its old entries are removed.
    package var cleanup: TopicSpecification.Cleanup
    /// The largest entry that it takes, in bytes.
    package var messageBytesMax: Int
    /// Distinguishes topics of one name: a random number given at the creation. Nil if the topic is no source.
    package var incarnation: UInt64?
    /// The number of brokers that hold each partition; 1 on the embedded logs.
    package var replicationFactor: Int
    /// True if entries age from when they were appended, whatever the clocks of their writers said.
    package var agesFromAppend: Bool
    /// True if acknowledged entries survive the loss of a broker, given enough replicas.
    package var keepsAcknowledged: Bool

    package init(
        name: TopicName, partitions: Int32, cleanup: TopicSpecification.Cleanup, messageBytesMax: Int,
        incarnation: UInt64?, replicationFactor: Int, agesFromAppend: Bool = true,
        keepsAcknowledged: Bool = true
    ) {
        self.name = name
        self.partitions = partitions
        self.cleanup = cleanup
        self.messageBytesMax = messageBytesMax
        self.incarnation = incarnation
        self.replicationFactor = replicationFactor
        self.agesFromAppend = agesFromAppend
        self.keepsAcknowledged = keepsAcknowledged
    }
}
