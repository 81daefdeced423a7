import CloudModel
import EventLog
import KafkaClient

/// Appends to Kafka through an idempotent producer without gaps.
final class KafkaLogWriter: LogWriter {
    private let producer: KafkaProducer
    private let log: KafkaLog

    init(producer: KafkaProducer, log: KafkaLog) {
        self.producer = producer
        self.log = log
    }

    func append(_ entries: [OutgoingEntry]) async throws {
        guard !entries.isEmpty else { return }
        try await learn(Set(entries.map(\.partition.topic)))
        if let tooLarge = log.limits.firstTooLarge(entries) { throw tooLarge }
        do {
            _ = try await producer.send(entries.map(\.message))
        } catch {
            throw LogError.writeFailed(error.description)
        }
    }

    func close() async {
        log.forget(self)
        await producer.close()
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
