import CloudModel
import EventLog
import KafkaClient
import Synchronization

/// Appends to Kafka through an idempotent producer without gaps.
///
/// A broker that knows nothing yet of a producer in a partition accepts any sequence from it. So the first message that
/// a new producer sends there could be refused and those behind it, which are under way already, accepted: a gap that no
/// setting prevents (`docs/decisions/0011`). Therefore the first entry of each partition is acknowledged before the next
/// is sent, and again after a pause in which a broker may have forgotten the producer.
final class KafkaLogWriter: LogWriter {
    /// Brokers forget a producer that was silent for `producer.id.expiration.ms`, a day by default.
    private static let silenceMax = Duration.seconds(600)

    private let producer: KafkaProducer
    private let log: KafkaLog
    /// When each partition last acknowledged something.
    private let acknowledged = Mutex<[TopicPartition: ContinuousClock.Instant]>([:])

    init(producer: KafkaProducer, log: KafkaLog) {
        self.producer = producer
        self.log = log
    }

    func append(_ entries: [OutgoingEntry]) async throws {
        guard !entries.isEmpty else { return }
        try await learn(Set(entries.map(\.partition.topic)))
        if let tooLarge = log.limits.firstTooLarge(entries) { throw tooLarge }
        let (first, rest) = parts(of: entries)
        try await send(first)
        try await send(rest)
    }

    func close() async {
        log.forget(self)
        await producer.close()
    }

    /// What may be sent at once, and what has to wait until the first entry of its partition is acknowledged.
    private func parts(of entries: [OutgoingEntry]) -> (first: [OutgoingEntry], rest: [OutgoingEntry]) {
        let limit = ContinuousClock.now - Self.silenceMax
        let partitions = Set(entries.map(\.partition))
        var unknown = acknowledged.withLock { known in partitions.filter { known[$0].map { $0 < limit } ?? true } }
        guard !unknown.isEmpty, partitions.count < entries.count else { return (entries, []) }
        let waiting = unknown
        var first: [OutgoingEntry] = []
        var rest: [OutgoingEntry] = []
        for entry in entries {
            if waiting.contains(entry.partition), unknown.remove(entry.partition) == nil {
                rest.append(entry)
            } else {
                first.append(entry)
            }
        }
        return (first, rest)
    }

    private func send(_ entries: [OutgoingEntry]) async throws {
        guard !entries.isEmpty else { return }
        do {
            _ = try await producer.send(entries.map(\.message))
        } catch {
            throw LogError.writeFailed(error.description)
        }
        let now = ContinuousClock.now
        let partitions = Set(entries.map(\.partition))
        acknowledged.withLock { known in for partition in partitions { known[partition] = now } }
    }

    /// Asks for the limits of topics that were made elsewhere, and that way whether they exist.
    private func learn(_ topics: Set<TopicName>) async throws {
        let unknown = log.limits.unknown(among: topics)
        guard !unknown.isEmpty else { return }
        let found = try await log.describeTopics(unknown)
        if let absent = unknown.first(where: { found[$0] == nil }) { throw LogError.unknownTopic(absent.rawValue) }
    }
}

extension OutgoingEntry {
    /// The entry as KafkaClient takes it.
    var message: KafkaOutgoingMessage {
        KafkaOutgoingMessage(
            topic: partition.topic.rawValue, partition: partition.partition, key: key, value: value,
            headers: headers.map { KafkaHeader(name: $0.name, value: $0.value) },
            timestampMilliseconds: timestamp.milliseconds)
    }
}
