import Settings

extension Command {
    static let recordService = Command(
        name: "record-service", usage: "record-service --bootstrap-servers HOST:PORT [--data DIR]",
        summary: "HTTP, the store, and the relay to Kafka",
        settings: [.common, .containers, .store, .log, .server, .quotas]
    ) { reading in
        try await RecordServiceRole(reading.configuration).run()
        return ExitCode.done
    }

    static let subscriptionMatcher = Command(
        name: "subscription-matcher",
        usage: "subscription-matcher --bootstrap-servers HOST:PORT [--stages match,deliver]",
        summary: "matches changes against subscriptions and delivers notifications",
        settings: [.common, .containers, .log, .delivery, .marks]
    ) { reading in
        try await SubscriptionMatcherRole(reading.configuration).run()
        return ExitCode.done
    }
}
