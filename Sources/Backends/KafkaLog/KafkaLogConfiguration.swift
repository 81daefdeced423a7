/// The settings of the log on Kafka: its cluster, and how it is used.
package struct KafkaLogConfiguration: Sendable {
    /// `host:port`, several separated by commas.
    package var bootstrapServers: String
    /// librdkafka properties for all clients.
    package var properties: [String: String]
    /// Brokers that hold each partition of topics that are made; 0 means 3, or as many as there are.
    package var replicationFactor: Int
    /// The interval at which librdkafka reports statistics of its clients; zero is never.
    package var statisticsInterval: Duration

    package init(
        bootstrapServers: String, properties: [String: String] = [:], replicationFactor: Int = 0,
        statisticsInterval: Duration = .zero
    ) {
        self.bootstrapServers = bootstrapServers
        self.properties = properties
        self.replicationFactor = replicationFactor
        self.statisticsInterval = statisticsInterval
    }
}
