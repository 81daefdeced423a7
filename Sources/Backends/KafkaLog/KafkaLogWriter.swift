import EventLog
import KafkaClient
import Synchronization
import Timing

/// Appends to Kafka through an idempotent producer without gaps.
///
/// A broker that knows nothing yet of a producer in a partition accepts any sequence from it. So the first message that
/// a new producer sends there could be refused and those behind it, which are under way already, accepted: a gap that
/// no setting prevents (`docs/decisions/0011`). Therefore the first entry of each partition is acknowledged before the
/// next is sent, and again after a pause in which a broker may have forgotten the producer.
final class KafkaLogWriter: LogWriter {
    /// Brokers forget a producer that was silent for `producer.id.expiration.ms`, a day by default.
    private static let silenceMax = Duration.seconds(600)

    /// The time for which a cancelled append still waits: one that is under way mostly ends, and its stage can commit
    /// it.
    private static let grace = Duration.seconds(2)

    private let log: KafkaLog
    private let state: Mutex<State>

    private struct State {
        var producer: KafkaProducer
        var acknowledged = Acknowledgements()
        var met = TopicTally()
        var appends = 0
    }

    /// The time of each partition's last acknowledgement; those that have been silent for too long are forgotten.
    private struct Acknowledgements {
        var times: [TopicPartition: ContinuousClock.Instant] = [:]
        private var pruned = Time.now

        func unknown(among partitions: Set<TopicPartition>, at now: ContinuousClock.Instant) -> Set<TopicPartition> {
            partitions.filter { partition in times[partition].map { now - $0 > silenceMax } ?? true }
        }

        mutating func note(_ partitions: Set<TopicPartition>, at now: ContinuousClock.Instant) {
            for partition in partitions { times[partition] = now }
            guard now - pruned > silenceMax else { return }
            pruned = now
            times = times.filter { now - $0.value <= silenceMax }
        }
    }

    init(producer: KafkaProducer, log: KafkaLog) {
        self.log = log
        state = Mutex(State(producer: producer))
    }

    func append(_ entries: [OutgoingEntry]) async throws {
        guard !entries.isEmpty else { return }
        try Task.checkCancellation()
        let partitions = Set(entries.map(\.partition))
        let topics = Set(partitions.map(\.topic))
        try await learn(topics)
        if let tooLarge = log.limits.firstTooLarge(entries) { throw tooLarge }
        let producer = begin(topics)
        defer { state.withLock { $0.appends -= 1 } }
        let (first, rest) = parts(of: entries, in: partitions)
        try await send(first, producer)
        state.withLock { $0.acknowledged.note(partitions, at: Time.now) }
        try await send(rest, producer)
    }

    /// Fails writes in flight: their callers were cancelled.
    func close() async {
        log.forget(self)
        await state.withLock(\.producer).close(timeout: .zero)
    }

    /// Takes note of an append; returns the producer for it. After many topics, and while none is under way, that is a
    /// new one: the first entry of each partition is then acknowledged alone again.
    private func begin(_ topics: Set<TopicName>) -> KafkaProducer {
        state.withLock { state in
            if state.met.add(topics), state.appends == 0, state.producer.failure == nil,
                let next = try? log.makeProducer()
            {
                state.producer.destroy()
                state = State(producer: next)
                _ = state.met.add(topics)
            }
            state.appends += 1
            return state.producer
        }
    }

    /// Splits entries into those that may be sent at once, some of each partition, and those that have to wait until
    /// the first entry of their partition is acknowledged.
    private func parts(
        of entries: [OutgoingEntry], in partitions: Set<TopicPartition>
    ) -> (first: [OutgoingEntry], rest: [OutgoingEntry]) {
        var unsent = state.withLock { $0.acknowledged.unknown(among: partitions, at: Time.now) }
        guard !unsent.isEmpty, partitions.count < entries.count else { return (entries, []) }
        let unknown = unsent
        var first: [OutgoingEntry] = []
        var rest: [OutgoingEntry] = []
        for entry in entries {
            if unknown.contains(entry.partition), unsent.remove(entry.partition) == nil {
                rest.append(entry)
            } else {
                first.append(entry)
            }
        }
        return (first, rest)
    }

    private func send(_ entries: [OutgoingEntry], _ producer: KafkaProducer) async throws {
        guard !entries.isEmpty else { return }
        do {
            _ = try await producer.send(entries.map(\.message), grace: Self.grace)
        } catch {
            if producer.failure == nil { try Task.checkCancellation() }
            throw LogError.writeFailed(error.description)
        }
    }

    /// Asks for the limits of topics that were made elsewhere, and that way whether they exist.
    private func learn(_ topics: Set<TopicName>) async throws {
        let unknown = log.limits.unknown(among: topics)
        guard !unknown.isEmpty else { return }
        let found = try await log.describe(unknown)
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
