import KafkaClient
import TestSupport

/// The real Kafka of the client's suites: a broker of their own, which making thousands of topics keeps busy for
/// seconds.
enum RealKafka {
    static let isAvailable = TestSupport.RealKafka.isAvailable

    /// Where it is; the first call starts it, and throws why it could not.
    static func configuration(_ properties: [String: String] = [:]) throws -> KafkaConfiguration {
        KafkaConfiguration(
            bootstrapServers: try TestSupport.RealKafka.bootstrapServersForLoad(), clientID: "kafka-client-tests",
            properties: properties)
    }

    /// A name that no other test uses, in this run or another.
    static func unique(_ name: String) -> String { TestSupport.RealKafka.unique(name) }

    /// Makes a topic of its own for a test.
    static func topic(
        _ name: String, partitions: Int = 1, configuration settings: [String: String] = [:]
    ) async throws -> String {
        let topic = KafkaNewTopic(name: unique(name), partitions: partitions, configuration: settings)
        let admin = try KafkaAdmin(configuration())
        try await admin.createTopics([topic])[topic.name]!.get()
        await admin.close()
        return topic.name
    }
}
