import KafkaClient
import Synchronization

/// A member of a group as a service would be one: it goes on where the group stands, and commits what it has taken
/// before it gives a partition back.
final class Worker: Sendable {
    /// The time that the group's coordinator has to answer, beside all other tests.
    private static let patience = Duration.seconds(60)

    let failures = Observed<[String]>([])
    /// The partitions that the member lost. A commit during a rebalance can cost them before librdkafka 2.10
    /// (confluentinc/librdkafka#4059).
    let lost = Observed<Set<Int32>>([])
    private let consumer = Mutex<KafkaGroupConsumer?>(nil)
    private let positions = Mutex<[KafkaTopicPartition: Int64]>([:])
    private let isLeaving = Mutex(false)

    init(
        _ configuration: KafkaConfiguration, group: String, topic: String, taken: Observed<[Int32: [Int64]]>
    ) throws {
        // Held back until the consumer is there to be answered.
        try consumer.withLock { consumer in
            consumer = try KafkaGroupConsumer(configuration, group: group, topics: [topic]) { [weak self] event in
                self?.take(event, taken)
            }
        }
    }

    /// Takes nothing more, commits what it took, and leaves the group.
    func leave() async {
        guard let consumer = consumer.withLock({ $0 }) else { return }
        isLeaving.withLock { $0 = true }
        consumer.pause(Array(positions.withLock { $0 }.keys))
        await consumer.settled()
        await commit(Array(positions.withLock { $0 }.keys), consumer)
        await consumer.close()
    }

    private func take(_ event: KafkaGroupEvent, _ taken: Observed<[Int32: [Int64]]>) {
        guard let consumer = consumer.withLock({ $0 }) else { return }
        switch event {
        case .assigned(let partitions):
            Task {
                do {
                    let committed = try await consumer.committed(partitions, timeout: Self.patience)
                    consumer.start(
                        Dictionary(uniqueKeysWithValues: partitions.map { ($0, committed[$0]?.offset ?? 0) }))
                } catch {
                    // Partitions that are assigned while it leaves are not read any more.
                    guard !isLeaving.withLock({ $0 }) else { return }
                    failures.update { $0.append("\(error)") }
                }
            }
        case .revoked(let partitions):
            Task {
                await commit(partitions, consumer)
                positions.withLock { positions in for partition in partitions { positions[partition] = nil } }
                consumer.release(partitions)
            }
        case .endOfPartition: break
        case .messages(let batch):
            batch.forEach { message in
                let (source, offset) = (message.source, message.offset)
                positions.withLock { $0[source] = offset + 1 }
                taken.update { $0[source.partition, default: []].append(offset) }
            }
        case .lost(let partitions):
            positions.withLock { positions in for partition in partitions { positions[partition] = nil } }
            lost.update { $0.formUnion(partitions.map(\.partition)) }
        case .offsetOutOfRange(let partition, let offset): failures.update { $0.append("no \(offset) in \(partition)") }
        case .error(let error): failures.update { $0.append("\(error)") }
        }
    }

    /// Commits each partition by itself: one that is given back meanwhile is refused, and its position is committed by
    /// the release.
    private func commit(_ partitions: [KafkaTopicPartition], _ consumer: KafkaGroupConsumer) async {
        await withTaskGroup { group in
            for partition in partitions {
                group.addTask { [self] in
                    guard let offset = positions.withLock({ $0[partition] }) else { return }
                    do {
                        try await consumer.commit(
                            [partition: KafkaCommittedOffset(offset: offset)], timeout: Self.patience)
                    } catch {
                        guard positions.withLock({ $0[partition] }) != nil else { return }
                        failures.update { $0.append("\(error)") }
                    }
                }
            }
        }
    }
}
