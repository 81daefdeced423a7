/// A topic to be created.
package struct KafkaNewTopic: Hashable, Sendable {
    /// Its name: letters, digits, `.`, `_` and `-`, at most 249.
    package var name: String
    /// The number of partitions, or -1 for the brokers' default.
    package var partitions: Int
    /// The number of replicas of each, or -1 for the brokers' default.
    package var replicationFactor: Int
    /// The settings that differ from the brokers' defaults, by Kafka's names, such as `cleanup.policy`.
    package var configuration: [String: String]

    /// A topic of these properties.
    package init(
        name: String, partitions: Int = 1, replicationFactor: Int = -1, configuration: [String: String] = [:]
    ) {
        self.name = name
        self.partitions = partitions
        self.replicationFactor = replicationFactor
        self.configuration = configuration
    }

    /// About as many records as the controller writes for it.
    var records: Int { 1 + max(partitions, 1) + configuration.count }
}
