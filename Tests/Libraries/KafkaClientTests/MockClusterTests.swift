import KafkaClient
import Testing

/// Errors as Kafka's protocol numbers them.
private enum Code {
    static let dropConnection: Int32 = -195
    static let notLeader: Int32 = 6
    static let messageTooLarge: Int32 = 10
    static let coordinatorNotAvailable: Int32 = 15
    static let notCoordinator: Int32 = 16
    static let notEnoughReplicas: Int32 = 19
    static let illegalGeneration: Int32 = 22
    static let rebalanceInProgress: Int32 = 27
    static let producerFenced: Int32 = 90
}

@Suite("On librdkafka's mock cluster")
struct MockClusterTests {
    @Test("what passes by itself neither loses, doubles nor reorders, nor kills the producer")
    func transientFailures() async throws {
        let cluster = try KafkaMockCluster(brokers: 3)
        try cluster.createTopic("t", partitions: 2, replicationFactor: 3)
        let configuration = KafkaConfiguration(
            bootstrapServers: cluster.bootstrapServers, properties: ["retry.backoff.ms": "10"])
        let producer = try KafkaProducer(configuration)
        try await producer.prepare(topics: ["t"])
        cluster.fail(
            .produce, with: [Code.notEnoughReplicas, Code.dropConnection, 0, Code.notLeader, Code.dropConnection])
        for round in 0..<10 {
            _ = try await producer.send((0..<200).map { KafkaOutgoingMessage("t", Int32($0 % 2), "\(round).\($0)") })
        }
        #expect(producer.failure == nil)
        for number in 0..<2 {
            let read = try await readAll(
                KafkaTopicPartition(topic: "t", partition: Int32(number)), configuration, count: 1_000)
            // The mock drops a connection after it has written, and knows no sequence numbers: repeats are its own.
            var seen = Set<String>()
            let first = read.map(\.text).filter { seen.insert($0).inserted }
            #expect(first == (0..<10).flatMap { round in (0..<100).map { "\(round).\($0 * 2 + number)" } })
        }
        await producer.close()
    }

    @Test("a group's committed offsets are reported, whichever broker its coordinator has moved to")
    func movedCoordinator() async throws {
        let cluster = try KafkaMockCluster(brokers: 3)
        try cluster.createTopic("t", partitions: 2)
        cluster.setCoordinator(of: "g", broker: 1)
        let configuration = KafkaConfiguration(
            bootstrapServers: cluster.bootstrapServers, properties: ["retry.backoff.ms": "10"])
        let (first, second) = (
            KafkaTopicPartition(topic: "t", partition: 0), KafkaTopicPartition(topic: "t", partition: 1)
        )
        let admin = try KafkaAdmin(configuration)
        for broker in [1, 2, 3, 2] as [Int32] {
            cluster.setCoordinator(of: "g", broker: broker)
            // The mock keeps no transaction's positions: that there is an answer, and a process to read it, is the
            // point.
            #expect(try await admin.groupOffsets("g", partitions: [first, second]) == [:])
        }
        await admin.close()
    }

    @Test("a refused message kills the producer: every outstanding and every later call throws")
    func refusedMessage() async throws {
        let cluster = try KafkaMockCluster()
        try cluster.createTopic("t")
        let producer = try KafkaProducer(KafkaConfiguration(bootstrapServers: cluster.bootstrapServers))
        try await producer.prepare(topics: ["t"])
        cluster.setRoundTripTime(.milliseconds(100))
        cluster.fail(.produce, with: [Code.messageTooLarge])
        let outcomes = Observed<[Result<[Int64], KafkaError>]>([])
        for _ in 0..<5 {
            try producer.enqueue([KafkaOutgoingMessage("t", 0, "x")]) { outcome in
                outcomes.update { $0.append(outcome) }
            }
        }
        let all = try await outcomes.wait(for: "all outcomes") { $0.count == 5 }
        for outcome in all { #expect(throws: KafkaError.self) { try outcome.get() } }
        #expect(producer.failure?.isFatal == true)
        #expect(throws: KafkaError.self) { try producer.enqueue([]) { _ in Issue.record("completed") } }
        await producer.close()
    }

    @Test("a cluster that is away is waited for")
    func away() async throws {
        let cluster = try KafkaMockCluster()
        try cluster.createTopic("t")
        let configuration = KafkaConfiguration(
            bootstrapServers: cluster.bootstrapServers,
            properties: ["reconnect.backoff.ms": "10", "reconnect.backoff.max.ms": "50"])
        let (reader, observed) = try observedReader(configuration)
        let producer = try KafkaProducer(configuration)
        _ = try await producer.send([KafkaOutgoingMessage("t", 0, "before")])
        reader.add([KafkaTopicPartition(topic: "t", partition: 0): 0])
        try await observed.wait(for: "the first message") { $0.messages.count == 1 }
        cluster.takeDown()
        try await observed.wait(for: "an error about it") { !$0.errors.isEmpty }
        async let sent = producer.send([KafkaOutgoingMessage("t", 0, "after")])
        cluster.bringUp()
        #expect(try await sent == [1])
        try await observed.wait(for: "the second message") { $0.messages.count == 2 }
        #expect(observed.value.messages.map(\.text) == ["before", "after"])
        #expect(observed.value.errors.allSatisfy { !$0.isFatal && $0.isRetriable })
        await reader.close()
        await producer.close()
    }

    @Test("a commit is tried again while the group is rebalancing, and throws what does not pass")
    func commits() async throws {
        let cluster = try KafkaMockCluster()
        try cluster.createTopic("t", partitions: 2)
        // The mock waits for a whole session before it goes on with a rebalance.
        let configuration = KafkaConfiguration(
            bootstrapServers: cluster.bootstrapServers, properties: ["session.timeout.ms": "6000"])
        let member = try Member(configuration, group: "g", topics: ["t"])
        let owned = try await member.seen.wait(for: "an assignment") { $0.owned.count == 2 }.owned
        let positions = Dictionary(uniqueKeysWithValues: owned.map { ($0, KafkaCommittedOffset(offset: 5)) })
        cluster.fail(.offsetCommit, with: [Code.rebalanceInProgress, Code.rebalanceInProgress])
        try await member.consumer.commit(positions, timeout: .seconds(60))
        #expect(try await member.consumer.committed(Array(owned)).mapValues(\.offset) == positions.mapValues(\.offset))
        cluster.fail(.offsetCommit, with: [Code.illegalGeneration])
        await #expect(throws: KafkaError.self) { try await member.consumer.commit(positions) }
        await #expect(throws: KafkaError.self) {
            try await member.consumer.commit([
                KafkaTopicPartition(topic: "other", partition: 0): KafkaCommittedOffset(offset: 1)
            ])
        }
        await member.consumer.close()
        await #expect(throws: KafkaError.self) { try await member.consumer.commit(positions) }
    }

    @Test("a transaction commits through errors that pass, and an end whose outcome is not known ends the producer")
    func transactions() async throws {
        let cluster = try KafkaMockCluster()
        try cluster.createTopic("t")
        let configuration = KafkaConfiguration(bootstrapServers: cluster.bootstrapServers)
        let producer = try KafkaTransactionalProducer(configuration, transactionalID: "id")
        cluster.fail(.initProducerID, with: [Code.coordinatorNotAvailable, Code.notCoordinator])
        try await producer.initTransactions()
        try await producer.begin()
        #expect(try await producer.send([KafkaOutgoingMessage("t", 0, "x")]) == [0])
        let source = KafkaTopicPartition(topic: "t", partition: 0)
        try await producer.sendOffsets([source: KafkaCommittedOffset(offset: 1)], group: "g")
        cluster.fail(.endTransaction, with: [Code.coordinatorNotAvailable])
        try await producer.commit()

        try await producer.begin()
        _ = try await producer.send([KafkaOutgoingMessage("t", 0, "y")])
        cluster.fail(.endTransaction, with: [Code.producerFenced])
        var outcomes: [KafkaTransactionError] = []
        do { try await producer.commit() } catch { outcomes.append(error) }
        do { try await producer.begin() } catch { outcomes.append(error) }
        #expect(outcomes.map(\.isFinal) == [true, true])
        #expect(outcomes.first == outcomes.last)
        await producer.close()
    }

    @Test("a transaction to a topic that does not exist is refused before it harms the transaction")
    func absentTopicInTransaction() async throws {
        let cluster = try KafkaMockCluster()
        try cluster.createTopic("t")
        cluster.failMetadata(of: "absent", with: 3)
        let producer = try KafkaTransactionalProducer(
            KafkaConfiguration(bootstrapServers: cluster.bootstrapServers), transactionalID: "id")
        try await producer.initTransactions()
        try await producer.begin()
        await #expect {
            _ = try await producer.send([KafkaOutgoingMessage("absent", 0, "x")])
        } throws: {
            if case .refused(let error) = $0 as? KafkaTransactionError { error.isTopicAbsent } else { false }
        }
        #expect(try await producer.send([KafkaOutgoingMessage("t", 0, "x")]) == [0])
        try await producer.commit()
        await producer.close()
    }

    @Test("a commit of a generation that the group refuses ends the wait for a release: the partitions are lost")
    func refusedGeneration() async throws {
        let cluster = try KafkaMockCluster()
        try cluster.createTopic("t", partitions: 2)
        let configuration = KafkaConfiguration(
            bootstrapServers: cluster.bootstrapServers,
            // The mock waits for a whole session before it goes on with a rebalance.
            properties: ["heartbeat.interval.ms": "100", "session.timeout.ms": "6000"])
        let first = try Member(configuration, group: "g", topics: ["t"])
        try await first.seen.wait(for: "all partitions") { $0.owned.count == 2 }
        let second = try Member(configuration, group: "g", topics: ["t"])
        try await first.seen.wait(for: "a revocation") { !$0.revoked.isEmpty }
        let revoked = first.seen.value.revoked
        cluster.fail(.offsetCommit, with: Array(repeating: Code.illegalGeneration, count: 10_000))
        let error = await #expect(throws: KafkaError.self) {
            try await first.consumer.commit([revoked[0]: KafkaCommittedOffset(offset: 0)], timeout: .seconds(600))
        }
        #expect(error?.name == "_ASSIGNMENT_LOST")
        try await first.seen.wait(for: "the loss") { $0.lost == revoked }
        try await second.seen.wait(for: "the partitions") { $0.owned == Set(revoked) }
        await first.consumer.close()
        await second.consumer.close()
    }

    @Test("a closed client refuses every call, and closing twice is harmless")
    func closed() async throws {
        let cluster = try KafkaMockCluster()
        let configuration = KafkaConfiguration(bootstrapServers: cluster.bootstrapServers)
        let partition = KafkaTopicPartition(topic: "t", partition: 0)
        let producer = try KafkaProducer(configuration)
        await producer.close()
        await producer.close()
        await #expect(throws: KafkaError.self) { try await producer.prepare(topics: ["t"]) }
        let (reader, _) = try observedReader(configuration)
        await reader.close()
        await reader.close()
        reader.add([partition: 0])
        await reader.settled()
        await #expect(throws: KafkaError.self) { try await reader.watermarks(of: partition) }
        let admin = try KafkaAdmin(configuration)
        await admin.close()
        await admin.close()
        await #expect(throws: KafkaError.self) { try await admin.clusterDescription() }
    }
}
