import Settings

extension Command {
    static let recordService = Command(
        name: "record-service", usage: "record-service --bootstrap-servers HOST:PORT [--data DIR]",
        summary: "HTTP, the store, and the relay to Kafka",
        settings: [.common, .containers, .store, .log, .server, .quotas, .pushAddresses], isRole: true
    ) { reading in
        let configuration = reading.configuration
        try await RecordServiceRole(configuration, settings: SettingRows.json(reading, configuration)).run()
        return ExitCode.done
    }

    static let pushSender = Command(
        name: "push-sender", usage: "push-sender --bootstrap-servers HOST:PORT --token-key-file FILE",
        summary: "sends pushes to APNs, to browsers' push services and to webhooks",
        settings: [.common, .containers, .store, .log, .sending, .push, .marks], isRole: true
    ) { reading in
        try await PushSenderRole(reading.configuration).run()
        return ExitCode.done
    }

    static let subscriptionMatcher = Command(
        name: "subscription-matcher",
        usage: "subscription-matcher --bootstrap-servers HOST:PORT [--stages match,deliver,feeds]",
        summary: "matches changes against subscriptions and delivers notifications",
        settings: [.common, .containers, .log, .delivery, .marks], isRole: true
    ) { reading in
        try await SubscriptionMatcherRole(reading.configuration).run()
        return ExitCode.done
    }
}
