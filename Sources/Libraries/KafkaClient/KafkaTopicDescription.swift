/// The description of one topic, as the cluster gives it.
package struct KafkaTopicDescription: Hashable, Sendable {
    /// One partition of it.
    package struct Partition: Hashable, Sendable {
        /// The broker that leads it, -1 while there is none.
        package let leader: Int32
        /// The brokers that should have it.
        package let replicas: [Int32]
        /// Those of them that have all of it.
        package let inSyncReplicas: [Int32]
    }

    /// The topic's name.
    package let name: String
    /// Its partitions by number.
    package let partitions: [Partition]
    /// Everything that is configured for it, defaults too; empty unless it was asked for.
    package var configuration: [String: String] = [:]
    /// The settings of this topic itself; empty unless they were asked for.
    package var overrides: [String: String] = [:]
    /// The settings without its own ones, as far as the cluster reports them; empty unless they were requested.
    package var defaults: [String: String] = [:]
}
