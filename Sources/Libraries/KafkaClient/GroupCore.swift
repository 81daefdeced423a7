import CRDKafka
import Synchronization

/// The state that a group consumer's callers, its thread and librdkafka's rebalance callback share. It lives until the
/// thread has ended.
final class GroupCore: Sendable {
    /// A command to the consumer's thread, which carries them out in this order.
    enum Command: Sendable {
        case start([KafkaTopicPartition: Int64], begun: @Sendable () -> Void)
        case release([KafkaTopicPartition])
        case seek([KafkaTopicPartition: Int64])
        case pause([KafkaTopicPartition])
        case resume([KafkaTopicPartition])
        case commit([KafkaTopicPartition: KafkaCommittedOffset], CommitReply)
        case settle(@Sendable () -> Void)
        case close
    }

    private struct Inbox {
        var commands: [Command] = []
        var ends: [@Sendable () -> Void] = []
        var hasEnded = false
    }

    let client: Client
    let group: String
    let calls = CallThreads(name: "kafka-calls", threadsMax: 2)
    let wakeup = Wakeup()
    let rebalances: GroupRebalances
    private let inbox = Mutex(Inbox())

    init(_ configuration: KafkaConfiguration, group: String) throws(KafkaError) {
        let rebalances = GroupRebalances()
        self.rebalances = rebalances
        self.group = group
        client = try Client(
            RD_KAFKA_CONSUMER, configuration,
            Client.Properties(
                defaults: ["auto.offset.reset": "error", "fetch.wait.max.ms": "50"],
                fixed: [
                    "group.id": group, "partition.assignment.strategy": "cooperative-sticky",
                    "enable.auto.commit": "false", "enable.auto.offset.store": "false",
                ]),
            callbacks: ClientCallbacks(log: configuration.log) { rebalances.rebalance($0, $1, $2) })
    }

    /// Leaves a command for the consumer's thread.
    func post(_ command: Command) {
        let isTooLate = inbox.withLock { inbox in
            if !inbox.hasEnded { inbox.commands.append(command) }
            return inbox.hasEnded
        }
        if isTooLate { Self.refuse(command) } else { wakeup.signal() }
    }

    func takeCommands() -> [Command] {
        inbox.withLock { inbox in
            defer { inbox.commands.removeAll() }
            return inbox.commands
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

    /// Called by the consumer's thread at its very end.
    func end() {
        let (commands, ends) = inbox.withLock { inbox in
            inbox.hasEnded = true
            return (inbox.commands, inbox.ends)
        }
        for command in commands { Self.refuse(command) }
        for end in ends { end() }
    }

    private static func refuse(_ command: Command) {
        switch command {
        case .settle(let answer): answer()
        case .commit(_, let reply): reply.answer(.closed("commit offsets"))
        case .start, .release, .seek, .pause, .resume, .close: break
        }
    }
}
