import EventLog
import KafkaClient
import Synchronization
import Waiting

/// A member of a group on Kafka.
final class KafkaMembership: LogMembership {
    /// The longest wait for the group to hear of it: while no coordinator answers, nobody does.
    private static let leavingMax = Duration.seconds(3)

    private let consumer: KafkaGroupConsumer
    private let log: KafkaLog
    private let mailbox = Mailbox<MembershipEvent>()
    private let routes = Routes()

    init(_ group: GroupName, topics: [TopicName], log: KafkaLog) throws(KafkaError) {
        self.log = log
        let mailbox = mailbox
        let routes = routes
        consumer = try KafkaGroupConsumer(
            log.client.adding(KafkaLog.consumerProperties).adding([
                "fetch.wait.max.ms": "50",
                // A member that died is missed for as long: the least that brokers allow unless told otherwise.
                "session.timeout.ms": "6000", "heartbeat.interval.ms": "1000",
            ]), group: group.rawValue, topics: topics.map(\.rawValue)
        ) { event in
            Self.take(event, mailbox, routes)
        }
    }

    func next() async throws -> MembershipEvent { try await mailbox.take() }

    func committed(_ partitions: [TopicPartition]) async throws -> [TopicPartition: LogPosition] {
        do {
            return LogPosition.positions(try await consumer.committed(partitions.map(\.kafka)))
        } catch {
            throw LogError(error)
        }
    }

    func start(_ partition: TopicPartition, from offset: Int64) async throws -> any LogFollower {
        let follower = KafkaFollower(partition, from: offset, log: log)
        let key = partition.kafka
        let identity = ObjectIdentifier(follower)
        follower.attach(
            KafkaFollower.Source(
                pause: { [consumer] in consumer.pause([key]) },
                resume: { [consumer] _ in consumer.resume([key]) },
                close: { [routes] in routes.remove(key, identity) }))
        // Who began before a loss that it did not know of may have had the partition read: what was read for it must not
        // reach this one, which would take what was missed for read.
        consumer.start([key: offset]) { [routes] in routes.replace(follower) }
        return follower
    }

    func commit(_ positions: [TopicPartition: LogPosition]) async throws {
        let offsets = positions.map { partition, position in
            (partition.kafka, KafkaCommittedOffset(offset: position.offset, metadata: position.metadata))
        }
        do {
            try await consumer.commit(Dictionary(offsets) { first, _ in first })
        } catch {
            throw error.isAssignmentLost ? LogError.fenced(error.description) : LogError(error)
        }
    }

    func release(_ partitions: [TopicPartition]) async throws {
        stop(partitions.map(\.kafka))
        consumer.release(partitions.map(\.kafka))
        await consumer.settled()
    }

    func leave() async {
        log.forget(self)
        for follower in routes.all { follower.close() }
        mailbox.end(LogError.closed)
        await consumer.close(timeout: Self.leavingMax)
    }

    private func stop(_ partitions: [KafkaTopicPartition]) {
        for partition in partitions { routes[partition]?.close() }
    }

    /// On the consumer's thread.
    private static func take(_ event: KafkaGroupEvent, _ mailbox: Mailbox<MembershipEvent>, _ routes: Routes) {
        switch event {
        case .assigned(let partitions): mailbox.put(.assigned(partitions.map { TopicPartition($0) }.sorted()))
        case .revoked(let partitions): mailbox.put(.revoked(partitions.map { TopicPartition($0) }.sorted()))
        case .lost(let partitions):
            for partition in partitions { routes[partition]?.close() }
            mailbox.put(.lost(partitions.map { TopicPartition($0) }.sorted()))
        case .messages(let batch):
            for (partition, entries) in batch.entriesByPartition() { routes[partition]?.received(entries) }
        case .endOfPartition(let partition, let offset): routes[partition]?.reachedEnd(offset)
        case .offsetOutOfRange(let partition, let offset): routes[partition]?.failedOutOfRange(offset)
        case .error(let error):
            guard error.isFatal else { return }
            for follower in routes.all { follower.failed(error.description) }
            mailbox.end(LogError(error))
        }
    }
}
