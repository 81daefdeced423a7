import CloudModel
import DeviceClient
import KafkaLog
import Settings

/// `fanfare device-client`: follows a feed, over HTTP as an app does, or on Kafka as an operator does.
struct DeviceClientRole: Sendable {
    private let configuration: Configuration

    init(_ configuration: Configuration) { self.configuration = configuration }

    func run() async throws {
        guard let device = try? DeviceID(configuration.device) else {
            throw SettingsError("--device names the device: 1 to 64 letters, digits, '-' and '_'")
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            defer { group.cancelAll() }
            group.addTask {
                if configuration.url.isEmpty { try await followLog(device) } else { try await followHTTP(device) }
            }
            group.addTask { await Signals.waitForEnd() }
            try await group.next()
        }
    }

    private func followHTTP(_ device: DeviceID) async throws {
        let feed = HTTPFeed(try await Clients.signedIn(configuration), device: device)
        try await feed.register(name: device.rawValue, platform: "fanfare device-client")
        var sink = try NotificationSink(configuration)
        while !sink.isDone {
            let wait = configuration.untilCaughtUp ? 0 : Limits.waitSecondsMax
            let page = try await feed.page(after: sink.token, limit: sink.pageLimit, waitSeconds: wait)
            try sink.take(page.notifications, token: page.token)
            if configuration.untilCaughtUp && !page.moreComing { return }
        }
    }

    private func followLog(_ device: DeviceID) async throws {
        let log = try Backends.kafka(configuration)
        let keys = try Backends.keys(configuration, mayMake: false)
        let feed = LogFeed(log: log, layout: Backends.layout(configuration, try configuration.target), keys: keys)
        let identity = try await feed.identity(of: device)
        let service = feed.service
        let encoder = NotificationJSON(service.identifiers)
        var sink = try NotificationSink(configuration)
        while !sink.isDone {
            let wait = configuration.untilCaughtUp ? Duration.zero : .seconds(Limits.waitSecondsMax)
            let answer = try await service.changes(
                in: identity, after: sink.token, limit: sink.pageLimit, waiting: wait)
            try sink.take(answer.notifications.map(encoder.json), token: answer.token)
            if configuration.untilCaughtUp && !answer.moreComing { break }
        }
        await log.close()
    }
}
