import EventLog
import KafkaClient
import Synchronization
import Timing
import Waiting

/// A member of a group on Kafka.
final class KafkaMembership: LogMembership {
    /// The longest wait for the group to hear of it: while no coordinator answers, nobody does.
    private static let leavingMax = Duration.seconds(3)

    /// The time between two looks for positions that were committed with state.
    private static let tellingPause = Duration.milliseconds(500)
    /// The longest that reporting such positions to the group may take, usually and when partitions are given back:
    /// tools show them, and no stage depends on them.
    private static let reportTimeMax = (usual: Duration.seconds(1), before: Duration.milliseconds(250))

    private let consumer: KafkaGroupConsumer
    private let log: KafkaLog
    private let group: GroupName
    private let mailbox = Mailbox<MembershipEvent>()
    private let routes = Routes()
    private let looking = Mutex<Task<Void, Never>?>(nil)
    /// The last report to the group: the next one waits for it, so that positions do not go back.
    private let telling = Mutex<Task<Void, Never>?>(nil)

    init(_ group: GroupName, topics: [TopicName], log: KafkaLog) throws(KafkaError) {
        self.log = log
        self.group = group
        let mailbox = mailbox
        let routes = routes
        consumer = try KafkaGroupConsumer(
            log.client.adding(KafkaLog.consumerProperties).adding([
                "fetch.wait.max.ms": "50",
                // A dead member is missed for this long: the least that brokers allow by default.
                "session.timeout.ms": "6000", "heartbeat.interval.ms": "1000",
            ]), group: group.rawValue, topics: topics.map(\.rawValue)
        ) { event in
            Self.take(event, mailbox, routes)
        }
        let looks = Task { [weak self] in
            while (try? await Time.sleep(for: Self.tellingPause)) != nil, let self {
                await self.reportPositions(within: Self.reportTimeMax.usual)
            }
        }
        looking.withLock { $0 = looks }
    }

    deinit { looking.withLock { $0.take() }?.cancel() }

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
        log.statePositions.begun(from: offset, of: partition, in: group)
        let identity = ObjectIdentifier(follower)
        follower.attach(
            KafkaFollower.Source(
                pause: { [consumer] in consumer.pause([key]) },
                resume: { [consumer] _ in consumer.resume([key]) },
                close: { [routes] in routes.remove(key, identity) }))
        // An owner from before an unnoticed loss may have started to read the partition: entries read for it must not
        // reach this one, which would take the missing ones for read.
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

    /// Reports positions that were committed with the state of the current partitions to the group, also after a
    /// cancellation of the caller. Partitions are read until they are given back: their followers stay open.
    private func reportPositions(within time: Duration) async {
        let task = telling.withLock { last in
            let task = Task { [last] in
                await last?.value
                let noted = log.statePositions.take(of: group) { routes[$0] != nil }
                log.statePositions.putBack(await unreported(noted, until: Time.now + time), of: group)
            }
            last = task
            return task
        }
        await task.value
    }

    /// Commits positions, and returns those to be reported later. One that is not this member's makes the group refuse
    /// all of them: then each is committed by itself, and the new owner reports that one.
    private func unreported(
        _ offsets: [KafkaTopicPartition: Int64], until deadline: ContinuousClock.Instant
    ) async -> [KafkaTopicPartition: Int64] {
        guard deadline > Time.now else { return offsets }
        do {
            try await consumer.commit(
                offsets.mapValues { KafkaCommittedOffset(offset: $0) }, timeout: deadline - Time.now)
            return [:]
        } catch {
            guard error.isAssignmentLost, !error.isOfGeneration else { return offsets }
            guard offsets.count > 1 else { return [:] }
        }
        var left: [KafkaTopicPartition: Int64] = [:]
        for (partition, offset) in offsets {
            left.merge(await unreported([partition: offset], until: deadline)) { $1 }
        }
        return left
    }

    func release(_ partitions: [TopicPartition]) async throws {
        await reportPositions(within: Self.reportTimeMax.before)
        stop(partitions.map(\.kafka))
        consumer.release(partitions.map(\.kafka))
        await consumer.settled()
    }

    func leave() async {
        log.forget(self)
        looking.withLock { $0.take() }?.cancel()
        let deadline = Time.now + Self.leavingMax
        await reportPositions(within: Self.reportTimeMax.before)
        for follower in routes.all { follower.close() }
        mailbox.end(LogError.closed)
        await consumer.close(timeout: max(.seconds(1), deadline - Time.now))
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
