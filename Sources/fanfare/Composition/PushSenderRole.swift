import CloudMessages
import Continuity
import EventLog
import KafkaLog
import Poison
import Settings
import Stages

/// `fanfare push-sender`: hands pushes to APNs, push services and webhooks, on Kafka.
struct PushSenderRole: Sendable {
    private let configuration: Configuration

    init(_ configuration: Configuration) { self.configuration = configuration }

    func run() async throws {
        let log = try Backends.kafka(configuration)
        let keys = try Backends.keys(configuration, mayMake: false)
        let marks = Backends.crashMarks(configuration)
        let ledgers = Backends.poison(configuration, log, marks)
        let checks = Dictionary(
            uniqueKeysWithValues: ledgers.map { ($0.layout.scope, IdentityCheck(log: log, layout: $0.layout)) })
        let senders = try PushSenders(configuration, log: log, keys: keys, poison: ledgers) {
            checks[$0.scope]?.start() ?? .none
        }
        guard !senders.isEmpty else {
            throw SettingsError(
                "there is nobody to send pushes to: give --apns-key-file or --apns-table, --vapid-subject, or --webhook-hosts"
            )
        }
        try await Service.run(
            configuration, "push-sender", refusals: { checks.values.compactMap(\.reason) },
            closing: {
                await senders.close()
                await log.close()
            }
        ) { isReady in
            try await TopicSetup(log: log, configuration: configuration).waitUntilThere()
            isReady(true)
            await withTaskGroup(of: Void.self) { group in
                group.addTask { await senders.run() }
                group.addTask { await Backends.follow(keys) }
                for ledger in ledgers { group.addTask { await ledger.run() } }
                group.addTask { await marks?.forgetLeft(after: ledgers) }
            }
        }
    }
}
