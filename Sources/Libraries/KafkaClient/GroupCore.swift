import CRDKafka
import Waiting

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
        /// Leave the group, and take at most this time for it.
        case close(within: Duration)
    }

    let client: Client
    let group: String
    let calls = CallThreads(name: "kafka-calls", threadsMax: 2)
    let wakeup = Wakeup()
    let rebalances: GroupRebalances
    let inbox = Inbox<Command>()

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
            callbacks: ClientCallbacks(configuration) { rebalances.rebalance($0, $1, $2) })
    }

    /// Leaves a command for the consumer's thread.
    func post(_ command: Command) {
        if inbox.post(command) { wakeup.signal() } else { Self.refuse(command) }
    }

    /// Called by the consumer's thread at its very end.
    func end() {
        for command in inbox.close() { Self.refuse(command) }
        inbox.end()
    }

    private static func refuse(_ command: Command) {
        switch command {
        case .settle(let answer): answer()
        case .commit(_, let reply): reply.answer(.closed("commit offsets"))
        case .start, .release, .seek, .pause, .resume, .close: break
        }
    }
}
