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
        try await check.run(on: log, without: [.topics, .truncation, .deletion, .sessions, .steadyGenerations]) {
            [cluster] topic in
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

    @Test("a topic that cannot be made or deleted leaves the others alone") func topicsFailAlone() async throws {
        let log = try KafkaLog(KafkaLogConfiguration(bootstrapServers: try RealKafka.bootstrapServers()))
        let (good, bad) = (TopicName(RealKafka.unique("good")), TopicName("__consumer_offsets"))
        let wishes = [(good, Int32(1)), (TopicName(RealKafka.unique("bad")), -7)].map { name, partitions in
            TopicSpecification(
                name: name, partitions: partitions, cleanup: .delete(afterMilliseconds: 3_600_000),
                messageBytesMax: 1 << 20)
        }
        let made = try await log.createTopics(wishes)
        #expect(made[good] == .created)
        guard case .failed? = made[wishes[1].name] else {
            Issue.record("\(made)")
            return
        }
        await #expect(throws: LogError.self) { try await log.requireTopics(wishes) }
        let failures = try await log.deleteTopics([good, bad, wishes[1].name])
        #expect(failures[good] == nil && failures[wishes[1].name] == nil)
        try await eventually("the deletion") { try await log.describeTopics([good]).isEmpty }
        await log.close()
    }

    /// A broker accepts any sequence of a producer that it does not know in a partition: what follows a refused first
    /// message would be taken, were it under way.
    @Test func nothingFollowsARefusedFirstEntryOfANewWriter() async throws {
        let servers = try RealKafka.bootstrapServers()
        // One message a request, so that several are under way at once.
        let log = try KafkaLog(
            KafkaLogConfiguration(bootstrapServers: servers, properties: ["batch.num.messages": "1"]))
        let partition = TopicPartition(TopicName(RealKafka.unique("refused-first")))
        _ = try await log.createTopics([
            TopicSpecification(
                name: partition.topic, partitions: 1, cleanup: .delete(afterMilliseconds: 3_600_000),
                messageBytesMax: 1 << 20)
        ])
        let admin = try KafkaAdmin(KafkaConfiguration(bootstrapServers: servers))
        try await admin.alterConfigurations([partition.topic.rawValue: ["max.message.bytes": "1000"]])[
            partition.topic.rawValue]?.get()
        for _ in 0..<3 {
            let writer = try await log.makeWriter()
            await #expect(throws: LogError.self) {
                try await writer.append(
                    (0..<20).map {
                        OutgoingEntry(partition, "\($0)" + String(repeating: "x", count: $0 == 0 ? 5000 : 10))
                    })
            }
            await writer.close()
        }
        #expect(try await log.bounds(of: [partition])[partition] == OffsetBounds(start: 0, end: 0))
        await admin.close()
        await log.close()
    }
}
