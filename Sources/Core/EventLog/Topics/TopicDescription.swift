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
    /// Tells topics of one name apart: a random number given when this one was made. Nil where the topic is no source.
    package var incarnation: UInt64?
    /// The number of brokers that hold each partition; 1 on the embedded logs.
    package var replicationFactor: Int
    /// True if entries age from when they were appended, whatever the clocks of their writers said.
    package var agesFromAppend: Bool
    /// True if what was acknowledged outlives the loss of a broker, where there are copies enough.
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
