/// The description of a group, as its coordinator gives it.
package struct KafkaGroupDescription: Hashable, Sendable {
    /// One member of it.
    package struct Member: Hashable, Sendable {
        /// The name that the coordinator gave it.
        package let id: String
        /// The `client.id` it has.
        package let clientID: String
        /// The host of the coordinator.
        package let host: String
        /// The partitions that it has.
        package let partitions: [KafkaTopicPartition]
    }

    /// The group's name.
    package let group: String
    /// Kafka's name of its state, such as `Stable` or `Empty`; one that does not exist is `Dead`.
    package let state: String
    /// The strategy that spreads partitions over members.
    package let assignor: String
    /// Its members.
    package let members: [Member]
}
