import KafkaLog
import NotificationDelivery
import SubscriptionMatcher

/// `fanfare subscription-matcher`: stage 1, stage 2, or both, on Kafka.
struct SubscriptionMatcherRole: Sendable {
    private let configuration: Configuration

    init(_ configuration: Configuration) { self.configuration = configuration }

    func run() async throws {
        let log = try Backends.kafka(configuration)
        try await Service.run(
            internalAddress: Address(configuration.internalListen)!, "subscription-matcher"
        ) { isReady in
            try await TopicSetup(log: log, configuration: configuration).waitUntilThere()
            isReady(true)
            await withTaskGroup(of: Void.self) { group in
                for scope in configuration.scopes {
                    let layout = Backends.layout(configuration, scope)
                    if configuration.stages.contains("match") {
                        group.addTask { await SubscriptionMatcher(log: log, layout: layout).run() }
                    }
                    if configuration.stages.contains("deliver") {
                        group.addTask { await NotificationDelivery(log: log, layout: layout).run() }
                    }
                }
            }
        }
        await log.close()
    }
}
