import CRDKafka
import Synchronization
import Waiting

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

    let client: Client
    let calls = CallThreads(name: "kafka-calls", threadsMax: 3)
    let wakeup = Wakeup()
    let inbox = Inbox<Command>()
    private let lastVersion = Atomic<UInt64>(0)

    init(_ configuration: KafkaConfiguration) throws(KafkaError) {
        client = try Client(
            RD_KAFKA_CONSUMER, configuration,
            Client.Properties(
                defaults: ["auto.offset.reset": "error", "fetch.wait.max.ms": "50"],
                fixed: ["enable.auto.commit": "false", "enable.auto.offset.store": "false"]),
            callbacks: ClientCallbacks(configuration))
    }

    /// Numbers a new assignment.
    func nextVersion() -> UInt64 { lastVersion.add(1, ordering: .relaxed).newValue }

    /// Leaves a command for the reader's thread.
    func post(_ command: Command) {
        if inbox.post(command) { wakeup.signal() } else if case .settle(let answer) = command { answer() }
    }

    /// Checks, on a thread for it, whether partitions exist, and passes the result to the reader's thread.
    func check(_ assignments: [KafkaTopicPartition: UInt64], patience: Duration, isFinal: Bool) {
        calls.enqueue { isClosed in
            guard !isClosed else { return }
            let partitions = Array(assignments.keys)
            let absent = self.client.absent(among: partitions, patience: patience, milliseconds: 10_000)
            // While no broker answers it will be asked again.
            if case .failure = absent { DedicatedThread.pause(milliseconds: 250) }
            self.post(.checked(assignments, absent, isFinal: isFinal))
        }
    }

    /// Called by the reader's thread at its very end.
    func end() {
        for case .settle(let answer) in inbox.close() { answer() }
        inbox.end()
    }
}
