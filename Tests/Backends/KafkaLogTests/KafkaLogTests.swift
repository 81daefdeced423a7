import EventLog
import KafkaClient
import KafkaLog
import TestSupport
import Testing

/// The port's conformance on librdkafka's mock cluster: protocol code, not guarantees.
@Suite struct KafkaLogOnMockTests {
    let cluster: KafkaMockCluster

    init() throws { cluster = try KafkaMockCluster() }

    @Test(arguments: LogConformance.checks)
    func conforms(_ check: LogConformance.Check) async throws {
        let log = try KafkaLog(KafkaLogConfiguration(bootstrapServers: cluster.bootstrapServers))
        // The mock knows no admin calls, and its transactions know no aborts.
        try await check.run(on: log, without: [.topics, .truncation, .deletion, .sessions]) { [cluster] topic in
            try cluster.createTopic(topic.name.rawValue, partitions: Int(topic.partitions))
            log.assume(topic)
        }
        await log.close()
    }
}

/// The port's conformance on a real Kafka.
@Suite(.enabled(if: RealKafka.isAvailable), .serialized) struct KafkaLogTests {
    @Test(arguments: LogConformance.checks)
    func conforms(_ check: LogConformance.Check) async throws {
        let log = try KafkaLog(KafkaLogConfiguration(bootstrapServers: try RealKafka.bootstrapServers()))
        try await check.run(on: log)
        await log.close()
    }
}
