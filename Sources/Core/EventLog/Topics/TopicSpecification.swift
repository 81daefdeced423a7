/// A topic as it should be made.
package struct TopicSpecification: Hashable, Sendable {
    /// The way in which old entries are removed.
    package enum Cleanup: Hashable, Sendable {
        /// Entries are removed some time after they were written. Unit: milliseconds.
        case delete(afterMilliseconds: Int64)
        /// Of each key the last entry is kept; one without a value removes its key in the end.
        case compact
    }

    /// The name.
    package var name: TopicName
    /// The number of partitions.
    package var partitions: Int32
    /// The way in which its old entries are removed.
    package var cleanup: Cleanup
    /// The largest entry, key and headers included, in bytes.
    package var messageBytesMax: Int
    /// True if outputs of other topics name positions in this one: such a topic is created with an incarnation.
    package var isSource: Bool
    /// The topic whose number of replicas it copies, if no setting gives one; nil takes as many as the cluster has
    /// brokers for. A topic that is created while brokers are down would otherwise keep too few. Topics of which there
    /// are many name one: they also have only those settings of their own that differ from the cluster's defaults.
    package var replicatedAs: TopicName?

    package init(
        name: TopicName, partitions: Int32, cleanup: Cleanup, messageBytesMax: Int, isSource: Bool = false,
        replicatedAs: TopicName? = nil
    ) {
        self.name = name
        self.partitions = partitions
        self.cleanup = cleanup
        self.messageBytesMax = messageBytesMax
        self.isSource = isSource
        self.replicatedAs = replicatedAs
    }
}
