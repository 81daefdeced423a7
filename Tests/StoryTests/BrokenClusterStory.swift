import CloudMessages
import CloudModel
import EventLog
import Foundation
import HTTPClient
import JSON
import KafkaClient
import KafkaLog
import Synchronization
import TestSupport
import Testing

/// A count that tasks share.
private final class Count: Sendable {
    let value = Atomic(0)
}

/// Three brokers that are stopped, ended and come back with what they knew before; what the log and whole processes
/// make of it. Other tests would have to wait for them, so they run by themselves: `make broken-cluster`.
@Suite(.enabled(if: KafkaCluster.mayBeBroken), .serialized) struct BrokenClusterStory {
    private static let shared = Result { try KafkaCluster.start(nodes: 3) }
    private let cluster: KafkaCluster

    init() async throws {
        cluster = try Self.shared.get()
        try await cluster.makeWhole()
    }

    private func makeLog() throws -> KafkaLog {
        try KafkaLog(KafkaLogConfiguration(bootstrapServers: cluster.bootstrapServers))
    }

    private func layout(partitions: Int32) -> TopicLayout {
        let container = ContainerIdentifier(trusted: RealKafka.unique("iCloud.broken"))
        return TopicLayout(
            ContainerEnvironment(container: container, environment: .development), partitions: partitions)
    }

    private func leader(_ partition: TopicPartition) async throws -> Int32 {
        try await cluster.describe(partition.topic.rawValue).partitions[Int(partition.partition)].leader
    }

    // MARK: The log

    @Test("a takeover while a broker comes back with a stale end has all commits, and others are served")
    func oldEnds() async throws {
        let layout = layout(partitions: 6)
        let (old, new) = (try makeLog(), try makeLog())
        try await old.requireTopics(layout.fixedTopics)
        let group = GroupName(RealKafka.unique("delivery"))
        let claims = (0..<6).map { number in
            StateClaim(
                input: TopicPartition(layout.deliveries, number), group: group,
                state: TopicPartition(layout.deliveryState, number))
        }
        // It has read all partitions where their leaders are now.
        for claim in claims { try await commit([[1]: [1]], offset: 1, to: claim, on: old) }
        let paused = try await leader(claims[0].state)
        let leaders = try await cluster.describe(layout.deliveryState.rawValue).partitions.map(\.leader)
        let concerned = claims.filter { leaders[Int($0.state.partition)] == paused }
        let healthy = claims.filter { leaders[Int($0.state.partition)] != paused }

        try cluster.pause(paused)
        let failed = Count()
        var questions: [Task<Void, Never>] = []
        for number in 0..<6 {
            let partition = concerned[number % concerned.count].state
            questions.append(
                Task {
                    _ = try? await old.bounds(of: [partition])
                    failed.value.add(1, ordering: .relaxed)
                })
        }
        _ = try await old.bounds(of: healthy.map(\.state))
        #expect(failed.value.load(ordering: .relaxed) == 0, "a request to others waited for the broker that hangs")
        for question in questions { _ = try await within("a question to it") { await question.value } }
        for claim in concerned {
            try await eventually("another leader") { try await leader(claim.state) != paused }
        }
        for claim in concerned { try await commit([[1]: [2], [2]: [2]], offset: 2, to: claim, on: new) }

        // A process that has known only the old leaders takes over, and the broker continues as soon as that has
        // started.
        let ends = try await asAStage("the end offsets of the new leaders") {
            try await new.bounds(of: concerned.map(\.state))
        }
        let takeOvers = concerned.map { claim in
            Task { try await asAStage("taking over") { try await old.takeOver(claim) } }
        }
        try await eventually("the marks of the new owner") {
            try await new.bounds(of: concerned.map(\.state)).allSatisfy { $1.end > ends[$0]?.end ?? 0 }
        }
        try await cluster.resume(paused)
        for takeOver in takeOvers {
            let session = try await takeOver.value
            #expect(session.initialOffset == 2)
            #expect(session.initialState[[1]] == [2] && session.initialState[[2]] == [2])
            await session.close()
        }
        await new.close()
        await old.close()
    }

    private func commit(
        _ state: [[UInt8]: [UInt8]?], offset: Int64, to claim: StateClaim, on log: KafkaLog
    ) async throws {
        try await asAStage("a commit to \(claim.state)") {
            let session = try await log.takeOver(claim)
            // A session that fails is closed with its log.
            try await session.commit(state, offset: offset, at: LogTimestamp(milliseconds: 1_000_000))
            await session.close()
        }
    }

    /// Begins again after a failure that a stage also begins again after. A coordinator that sent the markers of a
    /// commit to the broker that hangs waits 30 s for it, as long as a takeover waits for the coordinator.
    private func asAStage<Result: Sendable>(
        _ what: String, _ body: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        try await answer(what) {
            do {
                return try await body()
            } catch LogError.unavailable, LogError.writeFailed {
                return nil
            }
        }
    }

    @Test("topics that are made while a broker is down have the replicas that they are meant to have")
    func noThinTopics() async throws {
        let log = try makeLog()
        let (known, new) = (layout(partitions: 3), layout(partitions: 3))
        // Without a topic of Kafka's own, the number of known brokers is the intended number of replicas.
        let admin = try KafkaAdmin(KafkaConfiguration(bootstrapServers: cluster.bootstrapServers))
        try await eventually("three brokers") { try await admin.clusterDescription().brokers.count == 3 }
        try await log.requireTopics(known.fixedTopics)
        // A member of a group has created Kafka's own topic, whose number of replicas is the intended one, as on any
        // cluster at work.
        let member = try await log.join(GroupName("\(known.prefix)group"), topics: [known.deliveries])
        _ = try await within("an assignment") { try await member.next() }
        await member.leave()
        let down = try await leader(TopicPartition(known.deliveries))
        try cluster.kill(down)
        try await eventually("another leader") { try await leader(TopicPartition(known.deliveries)) != down }
        let feed = known.feedSpecification(DeviceID(trusted: "phone"), DeviceEpoch(1))
        // A client that takes the dead broker for the controller says that the log cannot be reached, and is asked
        // again.
        let made = try await answer("making topics") {
            do {
                return try await log.createTopics([feed] + new.fixedTopics)
            } catch LogError.unavailable {
                return nil
            }
        }
        #expect(made.values.allSatisfy { $0 == .created || $0 == .existed }, "\(made)")
        for name in [feed.name, new.deliveries, new.deliveryState, new.identity] {
            let topic = try await cluster.describe(name.rawValue, configuration: true)
            #expect(topic.partitions.allSatisfy { $0.replicas.count == 3 }, "\(topic)")
            #expect(topic.configuration["min.insync.replicas"] == "2", "\(topic)")
        }
        try await cluster.restart(down)
        await log.close()
    }

    @Test("a client whose controller dies is served by the next one, and does not wait for the first")
    func lostController() async throws {
        let admin = try KafkaAdmin(KafkaConfiguration(bootstrapServers: cluster.bootstrapServers))
        let controller = try await admin.clusterDescription().controllerID
        try cluster.kill(controller)
        let topic = KafkaNewTopic(name: RealKafka.unique("controller"), partitions: 1, replicationFactor: 2)
        let made = try await answer("making a topic") {
            do {
                return try await admin.createTopics([topic])
            } catch let error as KafkaError where error.isRetriable {
                // It was under way when the broker died.
                return nil
            }
        }
        #expect(made.count == 1)
        // A broker that dies may have created the topic and not answered: the request that is sent again finds it.
        if case .failure(let error)? = made[topic.name] {
            #expect(error.isTopicPresent, "\(error)")
        }
        await admin.close()
        try await cluster.restart(controller)
    }

    // MARK: Processes

    @Test(
        "every role ends within 10 s beside a broker that hangs and while nothing can be written, and nothing is lost")
    func endsInTime() async throws {
        let life = try await Life(cluster)
        // A broker hangs, and nobody has noticed yet.
        let first = try await leader(TopicPartition(life.layout.deliveries))
        try cluster.pause(first)
        try await life.save("second")
        try await life.system.stop()
        try await cluster.resume(first)
        try await life.start()
        #expect(try await life.records(life.phone, 2) == ["first", "second"])

        // Too few replicas for stage 1's hits, and for what the relay publishes of devices.
        let deliveries = life.layout.deliveries.rawValue
        let second = try await leader(TopicPartition(life.layout.deliveries, 1))
        try await cluster.set("min.insync.replicas", to: "3", of: deliveries)
        try cluster.pause(second)
        try await eventually("too few replicas") { [cluster] in
            try await cluster.describe(deliveries).partitions.allSatisfy { $0.inSyncReplicas.count == 2 }
        }
        try await life.save("third")
        let tablet = try await life.alice.register("tablet")
        try await eventually("what waits to be published") { [system = life.system] in
            let name = "fanfare_record_service_outbox_waiting_rows"
            return try await system.metric(name, of: [try #require(system.servicePort)]) != [0]
        }
        try await life.system.stop()
        try await cluster.resume(second)
        try await cluster.set("min.insync.replicas", to: "2", of: deliveries)
        try await life.start()
        #expect(try await life.records(life.phone, 3) == ["first", "second", "third"])
        #expect(try await life.records(tablet, 3) == ["first", "second", "third"])

        // All hang: every wait on the way takes its whole time.
        for node in cluster.nodes { try cluster.pause(node) }
        try await life.save("fourth")
        try await life.system.stop()
        try await cluster.resume(cluster.nodes)
        try await life.start()
        #expect(try await life.records(tablet, 4) == ["first", "second", "third", "fourth"])
        try await life.system.stop()
    }

    @Test(
        "a topic that an operator recreates beside running roles is refused by name, and repaired beside the service")
    func topicRecreated() async throws {
        let life = try await Life(cluster)
        let topic = life.layout.deliveries.rawValue
        #expect(try cluster.tool("kafka-topics.sh", ["--delete", "--topic", topic]) == 0)
        let words = ["--create", "--topic", topic, "--partitions", "4", "--replication-factor", "3"]
        #expect(try cluster.tool("kafka-topics.sh", words) == 0)
        let matcher = try #require(life.system.processes["subscription-matcher"])
        let service = try #require(life.system.processes["record-service"])
        for process in [matcher, service] {
            try await eventually("a refusal of \(process === service ? "the service" : "the matcher")") {
                process.complaints.contains("the topic 'deliveries' was deleted and recreated")
                    && process.complaints.contains("fanfare repair")
            }
            #expect(process.isRunning)
        }
        let early = try await life.system.run(["repair", "--yes"] + life.system.storeFlags)
        #expect(
            early.code == 1 && early.complaints.contains("not made by 'fanfare topics init': deliveries"), "\(early)")
        #expect(try await life.system.run(["topics", "init"]).code == 0)
        let shown = try await life.system.run(["repair"] + life.system.storeFlags)
        #expect(shown.code == 3 && shown.output.contains("recreated"), "\(shown)")
        let done = try await life.system.run(["repair", "--yes"] + life.system.storeFlags)
        #expect(done.code == 0, "\(done)")
        try await eventually("a save") { (try? await life.save("second")) != nil }
        #expect(try await life.records(life.phone, 2) == ["first", "second"])
        try await life.system.stop()
    }

    /// A user with a device, a subscription and a notification of the record 'first'.
    private struct Life {
        let system: StorySystem
        let layout: TopicLayout
        let alice: StoryUser
        let phone: String

        init(_ cluster: KafkaCluster) async throws {
            system = try await StorySystem.start(
                on: cluster.bootstrapServers, with: ["FANFARE_FEED_TOPICS": "true"])
            layout = TopicLayout(system.scope, partitions: 4)
            alice = try await system.user("alice")
            phone = try await alice.register("phone")
            try await alice.subscribe("all", to: "Task")
            try await save("first")
            #expect(try await records(phone, 1) == ["first"])
        }

        func save(_ name: String) async throws {
            try await alice.save([(name: name, fields: ["n": 1])], type: "Task")
        }

        func records(_ device: String, _ count: Int) async throws -> [String] {
            try await alice.feed(device, atLeast: count).notes.compactMap(\.record)
        }

        /// Starts the processes again.
        func start() async throws {
            for process in system.processes.values { try process.start() }
            try await eventually("an answer") {
                let answer = try? await system.http.send(HTTPClientRequest("GET", "\(system.url)/openapi.yaml"))
                return answer?.status == 200
            }
        }
    }
}
