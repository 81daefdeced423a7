import CRDKafka
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
        // The mock knows no admin calls, its transactions know no aborts, and it keeps the writers' times.
        let missing: Set<LogConformance.Capability> = [
            .topics, .truncation, .deletion, .sessions, .steadyGenerations, .appendTimes,
        ]
        try await check.run(on: log, without: missing) { [cluster] topic in
            try cluster.createTopic(topic.name.rawValue, partitions: Int(topic.partitions))
            log.assume(topic)
        }
        await log.close()
    }
}

/// Questions while a coordinator moves, or beside a broker that hangs.
@Suite struct KafkaLogQuestionTests {
    @Test("a request is answered by working brokers, though the last one hangs")
    func oneBrokerHangs() async throws {
        let cluster = try KafkaMockCluster(brokers: 3)
        let admin = try KafkaAdmin(KafkaConfiguration(bootstrapServers: cluster.bootstrapServers))
        // Which broker a log asks for what it does not know yet is chance: for some of eight it is the one that hangs.
        let logs = try (0..<8).map { _ in
            try KafkaLog(KafkaLogConfiguration(bootstrapServers: cluster.bootstrapServers))
        }
        for log in logs { #expect(try await log.topics(withPrefix: "").isEmpty) }
        for broker in 1...3 as ClosedRange<Int32> {
            let topic = "t\(broker)"
            try cluster.createTopic(topic, partitions: 6)
            let leaders = try #require(try await admin.describeTopics([topic])[topic]).get().partitions.map(\.leader)
            let healthy = leaders.indices.filter { leaders[$0] != broker }
                .map { TopicPartition(TopicName(topic), Int32($0)) }
            cluster.setRoundTripTime(.seconds(60), broker: broker)
            try await withThrowingTaskGroup { group in
                for log in logs { group.addTask { try await log.bounds(of: healthy).count } }
                for try await count in group { #expect(count == healthy.count) }
            }
            cluster.setRoundTripTime(.zero, broker: broker)
        }
        await admin.close()
        for log in logs { await log.close() }
    }

    @Test("a question for metadata that meets a broker that hangs fails, and the next ones go to others")
    func metadataBesideABrokerThatHangs() async throws {
        let cluster = try KafkaMockCluster(brokers: 3)
        try cluster.createTopic("t", partitions: 1)
        let logs = try (0..<8).map { _ in
            try KafkaLog(KafkaLogConfiguration(bootstrapServers: cluster.bootstrapServers))
        }
        for log in logs { #expect(try await log.topics(withPrefix: "") == [TopicName("t")]) }
        cluster.setRoundTripTime(.seconds(60), broker: 1)
        try await withThrowingTaskGroup { group in
            for log in logs {
                group.addTask {
                    var failures = 0
                    for _ in 0..<6 {
                        do {
                            let topics = try await log.topics(withPrefix: "")
                            #expect(topics == [TopicName("t")])
                        } catch LogError.unavailable {
                            failures += 1
                        }
                    }
                    return failures
                }
            }
            for try await failures in group { #expect(failures <= 1) }
        }
        cluster.setRoundTripTime(.zero, broker: 1)
        for log in logs { await log.close() }
    }

    @Test("a group's committed offsets are reported once its coordinator is there", arguments: [14, 15, 16] as [Int32])
    func coordinatorsAreWaitedFor(_ code: Int32) async throws {
        let cluster = try KafkaMockCluster()
        let log = try KafkaLog(KafkaLogConfiguration(bootstrapServers: cluster.bootstrapServers))
        try cluster.createTopic("input", partitions: 1)
        let (group, input) = (GroupName("group"), TopicPartition(TopicName("input")))
        #expect(try await log.committedOffsets(of: group, [input]) == [:])
        // More than librdkafka tries again by itself; from 2.3 on its pauses double, so that 12 outlast the deadline.
        let failures = rd_kafka_version() < 0x0203_0000 ? 12 : 5
        cluster.fail(.offsetFetch, with: [Int32](repeating: code, count: failures))
        #expect(try await log.committedOffsets(of: group, [input]) == [:])
        await log.close()
    }
}

/// Calls that wait for a broker, and are cancelled.
@Suite struct KafkaLogCancellationTests {
    @Test("a cancelled append ends while no broker can be reached, and so does closing")
    func appendsAreCancelled() async throws {
        let log = try KafkaLog(KafkaLogConfiguration(bootstrapServers: "127.0.0.1:1"))
        let topic = TopicSpecification(
            name: TopicName("t"), partitions: 1, cleanup: .compact, messageBytesMax: 1 << 20)
        log.assume(topic)
        let writer = try await log.makeWriter()
        let append = Task { try await writer.append([OutgoingEntry(TopicPartition(topic.name), "x")]) }
        append.cancel()
        await #expect(throws: CancellationError.self) { try await append.value }
        let claim = StateClaim(
            input: TopicPartition(topic.name), group: GroupName("g"), state: TopicPartition(topic.name))
        let taking = Task { _ = try await log.takeOver(claim) }
        taking.cancel()
        await #expect(throws: CancellationError.self) { try await taking.value }
        await writer.close()
        await log.close()
    }

    @Test("a caller that waits for a partition in use by all clients can be cancelled, and the next gets its turn")
    func followersWaitInLine() async throws {
        let cluster = try KafkaMockCluster()
        let log = try KafkaLog(KafkaLogConfiguration(bootstrapServers: cluster.bootstrapServers))
        try cluster.createTopic("busy", partitions: 1)
        try cluster.createTopic("other", partitions: 1)
        let busy = TopicPartition(TopicName("busy"))
        var followers: [any LogFollower] = []
        for _ in 0..<8 { followers.append(try await log.follow(busy, from: 0)) }
        let cancelled = Task { _ = try await log.follow(busy, from: 0) }
        let next = Task { try await log.follow(busy, from: 0) }
        // Nobody waits for what others read.
        _ = try await log.follow(TopicPartition(TopicName("other")), from: 0).entriesToEnd()
        cancelled.cancel()
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        followers[3].close()
        #expect(try await within { try await next.value.entriesToEnd() }.isEmpty)
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

    @Test("a topic like one that is there gets as its own only what the cluster's defaults do not say already")
    func defaultsAreLeftOut() async throws {
        let servers = try RealKafka.bootstrapServers()
        let log = try KafkaLog(KafkaLogConfiguration(bootstrapServers: servers))
        let model = TopicSpecification(
            name: TopicName(RealKafka.unique("model")), partitions: 1, cleanup: .delete(afterMilliseconds: 3_600_000),
            messageBytesMax: 1 << 20)
        var like = model
        like.name = TopicName(RealKafka.unique("like"))
        like.replicatedAs = model.name
        for topic in [model, like] {
            let made = try await log.createTopics([topic])
            #expect(made[topic.name] == .created)
        }
        let admin = try KafkaAdmin(KafkaConfiguration(bootstrapServers: servers))
        let found = try await admin.describeTopics([model.name.rawValue, like.name.rawValue], configuration: true)
        let (modelled, liked) = (try found[model.name.rawValue]!.get(), try found[like.name.rawValue]!.get())
        #expect(liked.configuration == modelled.configuration)
        // A setting of a topic's own hides the default, which is reported all the same. Some default is as specified on
        // any cluster.
        #expect(liked.overrides == modelled.overrides.filter { modelled.defaults[$0.key] != $0.value })
        #expect(liked.overrides.count < modelled.overrides.count)
        // Settings that are left to defaults are compared all the same.
        let name = like.name
        #expect(try await log.describeTopics([name])[name]?.keepsAcknowledged == true)
        let change = [name.rawValue: ["unclean.leader.election.enable": String?.some("true")]]
        try await admin.alterConfigurations(change)[name.rawValue]!.get()
        try await eventually("the changed setting to be reported") {
            try await log.describeTopics([name])[name]?.keepsAcknowledged == false
        }
        await admin.close()
        await log.close()
    }

    @Test("a request for a position beside a transaction that commits it gets the new one, and no error")
    func positionsBesideTransactions() async throws {
        let servers = try RealKafka.bootstrapServers()
        let log = try KafkaLog(KafkaLogConfiguration(bootstrapServers: servers))
        let input = TopicSpecification(
            name: TopicName(RealKafka.unique("input")), partitions: 1, cleanup: .compact, messageBytesMax: 1 << 20)
        try await log.requireTopics([input])
        let (partition, group) = (TopicPartition(input.name), GroupName(RealKafka.unique("group")))
        let producer = try KafkaTransactionalProducer(
            KafkaConfiguration(bootstrapServers: servers), transactionalID: RealKafka.unique("id"))
        try await producer.initTransactions()
        try await producer.begin()
        let source = KafkaTopicPartition(topic: input.name.rawValue, partition: 0)
        try await producer.sendOffsets([source: KafkaCommittedOffset(offset: 7)], group: group.rawValue)
        // As long as the transaction is open there is no answer, not an old one.
        let admin = try KafkaAdmin(KafkaConfiguration(bootstrapServers: servers), timeout: .seconds(2))
        let waited = await #expect(throws: KafkaError.self) {
            try await admin.groupOffsets(group.rawValue, partitions: [source])
        }
        #expect(waited?.isRetriable == true)
        async let committed = log.committedPositions(of: group, [partition])
        try await producer.commit()
        #expect(try await committed == [partition: LogPosition(offset: 7)])
        await producer.close()
        await admin.close()
        await log.close()
    }

    /// A broker accepts any sequence of a producer that it does not know in a partition: it would take the messages
    /// after a refused first one, if they were in flight.
    @Test func nothingFollowsARefusedFirstEntryOfANewWriter() async throws {
        let servers = try RealKafka.bootstrapServers()
        // One message a request, so that several are under way at once.
        let log = try KafkaLog(
            KafkaLogConfiguration(bootstrapServers: servers, properties: ["batch.num.messages": "1"]))
        let partition = TopicPartition(TopicName(RealKafka.unique("refused-first")))
        let admin = try KafkaAdmin(KafkaConfiguration(bootstrapServers: servers))
        let name = partition.topic.rawValue
        try await admin.createTopics([KafkaNewTopic(name: name, configuration: ["max.message.bytes": "1000"])])[name]?
            .get()
        try await eventually("its leader") { try await admin.describeTopics([name])[name]?.get() != nil }
        log.assume(
            TopicSpecification(
                name: partition.topic, partitions: 1, cleanup: .delete(afterMilliseconds: 3_600_000),
                messageBytesMax: 1 << 20))
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
