import CloudMessages
import Continuity
import FeedTopics
import KafkaLog
import NotificationDelivery
import Poison
import Stages
import SubscriptionMatcher

/// `fanfare subscription-matcher`: stages 1 to 3, or some of them, on Kafka.
struct SubscriptionMatcherRole: Sendable {
    private let configuration: Configuration

    init(_ configuration: Configuration) { self.configuration = configuration }

    func run() async throws {
        let log = try Backends.kafka(configuration)
        let marks = Backends.crashMarks(configuration)
        let snapshots = Backends.tableSnapshots(configuration)
        let ledgers = Backends.poison(configuration, log, marks)
        let checks = Dictionary(
            uniqueKeysWithValues: ledgers.map { ($0.layout.scope, IdentityCheck(log: log, layout: $0.layout)) })
        try await Service.run(
            configuration, "subscription-matcher",
            refusals: { checks.values.compactMap(\.reason) }, closing: { await log.close() }
        ) { isReady in
            try await TopicSetup(log: log, configuration: configuration).waitUntilThere()
            isReady(true)
            await withTaskGroup(of: Void.self) { group in
                for ledger in ledgers {
                    let layout = ledger.layout
                    let check = checks[layout.scope]?.start() ?? .none
                    group.addTask { await ledger.run() }
                    if configuration.stages.contains("match") {
                        group.addTask {
                            await SubscriptionMatcher(
                                log: log, layout: layout, poison: ledger, check: check, snapshots: snapshots
                            ).run()
                        }
                    }
                    if configuration.stages.contains("deliver") {
                        group.addTask {
                            await NotificationDelivery(log: log, layout: layout, poison: ledger, check: check).run()
                        }
                    }
                    if configuration.stages.contains("feeds"), layout.hasFeedTopics {
                        group.addTask {
                            await FeedTopics(log: log, layout: layout, poison: ledger, check: check).run()
                        }
                    }
                }
                group.addTask { await marks?.forgetLeft(after: ledgers) }
            }
        }
    }
}
