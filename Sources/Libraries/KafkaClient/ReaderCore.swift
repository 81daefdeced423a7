import CRDKafka
import Synchronization

/// The state that a reader's callers and its thread share. It lives until that thread has ended.
final class ReaderCore: Sendable {
    /// A command to the reader's thread, which carries them out in this order.
    enum Command: Sendable {
        case add([KafkaTopicPartition: Int64], version: UInt64)
        case remove([KafkaTopicPartition])
        /// Of these assignments it is known whether their partitions exist.
        case checked([KafkaTopicPartition: UInt64], Result<Set<KafkaTopicPartition>, KafkaError>, isFinal: Bool)
        case settle(@Sendable () -> Void)
        case close
    }

    private struct Inbox {
        var commands: [Command] = []
        var lastVersion: UInt64 = 0
        var ends: [@Sendable () -> Void] = []
        var hasEnded = false
    }

    let client: Client
    let calls = CallThreads(name: "kafka-calls", threadsMax: 3)
    let wakeup = Wakeup()
    private let inbox = Mutex(Inbox())

    init(_ configuration: KafkaConfiguration) throws(KafkaError) {
        client = try Client(
            RD_KAFKA_CONSUMER, configuration,
            Client.Properties(
                defaults: ["auto.offset.reset": "error", "fetch.wait.max.ms": "5"],
                fixed: ["enable.auto.commit": "false", "enable.auto.offset.store": "false"]),
            callbacks: ClientCallbacks(log: configuration.log))
    }

    /// Numbers a new assignment.
    func nextVersion() -> UInt64 {
        inbox.withLock { inbox in
            inbox.lastVersion += 1
            return inbox.lastVersion
        }
    }

    /// Leaves a command for the reader's thread.
    func post(_ command: Command) {
        let isTooLate = inbox.withLock { inbox in
            if !inbox.hasEnded { inbox.commands.append(command) }
            return inbox.hasEnded
        }
        if !isTooLate { wakeup.signal() } else if case .settle(let answer) = command { answer() }
    }

    func takeCommands() -> [Command] {
        inbox.withLock { inbox in
            defer { inbox.commands.removeAll() }
            return inbox.commands
        }
    }

    /// Asks, on a thread for it, whether partitions exist, and tells the reader's thread.
    func check(_ assignments: [KafkaTopicPartition: UInt64], patience: Duration, isFinal: Bool) {
        calls.enqueue { isClosed in
            guard !isClosed else { return }
            let partitions = Array(assignments.keys)
            let absent = self.client.absent(among: partitions, patience: patience, milliseconds: 10_000)
            // While no broker answers it will be asked again.
            if case .failure = absent { OwnThread.pause(milliseconds: 250) }
            self.post(.checked(assignments, absent, isFinal: isFinal))
        }
    }

    /// Waits until librdkafka's client is destroyed.
    func ended() async {
        await withCheckedContinuation { continuation in
            let hasEnded = inbox.withLock { inbox in
                if !inbox.hasEnded { inbox.ends.append { continuation.resume() } }
                return inbox.hasEnded
            }
            if hasEnded { continuation.resume() }
        }
    }

    /// Called by the reader's thread at its very end.
    func end() {
        let (commands, ends) = inbox.withLock { inbox in
            inbox.hasEnded = true
            return (inbox.commands, inbox.ends)
        }
        for case .settle(let answer) in commands { answer() }
        for end in ends { end() }
    }
}
