import CRDKafka
import TextForms
import Waiting

/// A reader's thread: it alone starts, stops and reads partitions, so a partition that it has stopped cannot have
/// messages on the way to the handler.
final class ReaderLoop {
    private let core: ReaderCore
    private let client: Client
    private let handler: (KafkaReaderEvent) -> Void
    private let poll: MessagePoll
    private var table = PartitionTable()
    /// The newest assignment of each partition that is wanted, also of those that wait to be checked.
    private var versions: [KafkaTopicPartition: UInt64] = [:]
    /// The first offsets of partitions that are started only when they are known to exist.
    private var waiting: [KafkaTopicPartition: Int64] = [:]
    private var heard = LivePartitions()
    /// The assignments that are being asked for: one question each at a time, however long nobody answers.
    private var asking: [KafkaTopicPartition: UInt64] = [:]

    /// More new topics than this are looked up in one request before they are started: each one started unknown asks
    /// for itself, and thousands of those at once have brought a small broker down.
    private static let unknownTopicsMax = 8
    private static let checkedAtOnce = 500
    /// For how long a partition has to be unknown to the brokers before it counts as absent.
    private static let patience = Duration.seconds(3)

    init(_ core: ReaderCore, handler: @escaping (KafkaReaderEvent) -> Void) {
        self.core = core
        self.handler = handler
        client = core.client
        let queue = client.withPointer { client in
            let queue = rd_kafka_queue_new(client)!
            // What concerns the client as a whole comes the same way.
            let main = rd_kafka_queue_get_main(client)
            rd_kafka_queue_forward(main, queue)
            rd_kafka_queue_destroy(main)
            return queue
        }
        poll = MessagePoll(queue: queue, wakeup: core.wakeup)
    }

    /// Works until the reader is closed, then destroys the client.
    func run() {
        while true {
            let commands = core.inbox.take()
            var isClosing = false
            for command in commands {
                if case .close = command { isClosing = true } else { carryOut(command) }
            }
            if isClosing { break }
            let messages = poll.take()
            for failure in poll.hand(messages, through: &table, to: take) { report(failure) }
            for error in client.takeErrors() where !isOfAbsence(error) { handler(.error(error)) }
            check(heard.overdue())
            if messages.isEmpty, commands.isEmpty {
                core.wakeup.wait(milliseconds: heard.isWaiting ? LivePartitions.patienceMilliseconds : 1_000)
            }
        }
        for partition in table.partitions { stop(partition) }
        core.calls.close()
        table.removeAll()
        poll.close()
        client.destroy()
        core.end()
    }

    private func take(_ batch: KafkaBatch) {
        for partition in batch.partitions { heard.note(partition) }
        handler(.messages(batch))
    }

    private func carryOut(_ command: ReaderCore.Command) {
        switch command {
        case .add(let offsets, let version): add(offsets, version)
        case .remove(let partitions): for partition in partitions { drop(partition) }
        case .checked(let assignments, let absent, let isFinal): takeNote(assignments, absent, isFinal)
        case .settle(let answer): answer()
        case .close: break
        }
    }

    private func add(_ offsets: [KafkaTopicPartition: Int64], _ version: UInt64) {
        let unknown = offsets.keys.filter { table[$0] == nil }
        let unknownTopics = Set(unknown.map(\.topic).filter { !table.knows($0) })
        for (partition, offset) in offsets {
            stop(partition)
            versions[partition] = version
            waiting[partition] = offset
        }
        let isLookedUpFirst = unknownTopics.count > Self.unknownTopicsMax
        let lookedUp = isLookedUpFirst ? Set(unknown) : []
        for partition in offsets.keys where !lookedUp.contains(partition) { start(partition) }
        // Events of a known partition show soon whether it still exists: a request each time would be as many as reads.
        check(unknown.filter { isLookedUpFirst || !heard.knows($0) })
    }

    /// Looks up whether partitions that are wanted exist, unless that is being asked for.
    private func check(_ partitions: [KafkaTopicPartition]) {
        var rest: [(KafkaTopicPartition, UInt64)] = []
        for partition in partitions {
            guard let version = versions[partition], asking[partition] != version else { continue }
            asking[partition] = version
            rest.append((partition, version))
        }
        while !rest.isEmpty {
            let part = rest.suffix(Self.checkedAtOnce)
            rest.removeLast(part.count)
            core.check(Dictionary(uniqueKeysWithValues: Array(part)), patience: .zero, isFinal: false)
        }
    }

    /// Takes the outcome of a look-up: partitions that exist are started, the others are looked up once more,
    /// patiently.
    private func takeNote(
        _ assignments: [KafkaTopicPartition: UInt64], _ absent: Result<Set<KafkaTopicPartition>, KafkaError>,
        _ isFinal: Bool
    ) {
        let wanted = assignments.filter { versions[$0] == $1 }
        guard !wanted.isEmpty else { return }
        guard case .success(let absent) = absent else {
            return core.check(wanted, patience: .zero, isFinal: false)
        }
        for partition in wanted.keys where !absent.contains(partition) {
            asking[partition] = nil
            start(partition)
        }
        let missing = wanted.filter { absent.contains($0.key) }
        guard isFinal else {
            if !missing.isEmpty { core.check(missing, patience: Self.patience, isFinal: true) }
            return
        }
        for partition in missing.keys.sorted() {
            drop(partition)
            handler(.unknownPartition(partition))
        }
    }

    /// Starts a partition that waits for it.
    private func start(_ partition: KafkaTopicPartition) {
        guard let offset = waiting.removeValue(forKey: partition) else { return }
        do throws(KafkaError) {
            let topic = try table.add(partition, offset: offset, client: client)
            guard rd_kafka_consume_start_queue(topic, partition.partition, offset, poll.queue) == 0 else {
                let code = rd_kafka_last_error()
                drop(partition)
                throw KafkaError(code, "read \(partition) from \(offset)")
            }
            heard.expect(partition)
        } catch {
            handler(.error(error))
        }
    }

    /// Stops a partition; it waits for a reply of librdkafka, some microseconds, and nothing of the partition comes
    /// after that.
    private func stop(_ partition: KafkaTopicPartition) {
        guard table[partition] != nil, let topic = table.handle(of: partition) else { return }
        rd_kafka_consume_stop(topic, partition.partition)
        table.remove(partition)
    }

    private func drop(_ partition: KafkaTopicPartition) {
        stop(partition)
        versions.removeValue(forKey: partition)
        heard.forget(partition)
        asking.removeValue(forKey: partition)
        waiting.removeValue(forKey: partition)
    }

    /// Returns true if an error of the client says that a topic is gone, which librdkafka puts into the error's text
    /// only. The topics that the text seems to name, or else all, are looked up.
    private func isOfAbsence(_ error: KafkaError) -> Bool {
        guard error.isTopicAbsent else { return false }
        let named = table.partitions.filter { error.message.holds("\($0.topic) [\($0.partition)]") }
        check(named.isEmpty ? table.partitions : named)
        return true
    }

    private func report(_ failure: MessagePoll.Failure) {
        if failure.code == RD_KAFKA_RESP_ERR__PARTITION_EOF {
            guard let partition = failure.partition else { return }
            heard.note(partition)
            return handler(.endOfPartition(partition, offset: failure.offset))
        }
        guard let partition = failure.partition else {
            return handler(.error(KafkaError(failure.code, "read", detail: failure.text)))
        }
        if failure.code == RD_KAFKA_RESP_ERR__AUTO_OFFSET_RESET {
            drop(partition)
            handler(.offsetOutOfRange(partition, offset: failure.offset))
        } else if KafkaError.isAbsence(failure.code) {
            drop(partition)
            handler(.unknownPartition(partition))
        } else {
            handler(.error(KafkaError(failure.code, "read \(partition)", detail: failure.text)))
        }
    }
}
