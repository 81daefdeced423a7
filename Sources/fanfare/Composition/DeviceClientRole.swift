import KafkaLog
import CloudModel
import DeviceClient
import JSON
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
        var printer = Printer(limit: configuration.limit)
        var token = try savedToken()
        while !printer.isDone {
            let wait = configuration.untilCaughtUp ? 0 : Limits.waitSecondsMax
            let page = try await feed.page(
                after: token, limit: printer.pageLimit, waitSeconds: wait)
            for notification in page.notifications { try printer.print(notification) }
            token = page.token
            try save(page.token)
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
        var printer = Printer(limit: configuration.limit)
        var token = try savedToken()
        while !printer.isDone {
            let wait = configuration.untilCaughtUp ? Duration.zero : .seconds(Limits.waitSecondsMax)
            let answer = try await service.changes(
                in: identity, after: token, limit: printer.pageLimit, waiting: wait)
            for notification in answer.notifications { try printer.print(encoder.json(notification)) }
            token = answer.token
            try save(answer.token)
            if configuration.untilCaughtUp && !answer.moreComing { break }
        }
        await log.close()
    }

    /// The token of an earlier run, unless everything is wanted from the start.
    private func savedToken() throws -> String? {
        guard !configuration.fromStart, !configuration.tokenFile.isEmpty, Files.exists(configuration.tokenFile) else {
            return nil
        }
        let text = String(decoding: try Files.read(configuration.tokenFile), as: UTF8.self)
        return text.split(whereSeparator: \.isNewline).first.map(String.init)
    }

    private func save(_ token: String) throws {
        guard !configuration.tokenFile.isEmpty else { return }
        try Files.replace(configuration.tokenFile, with: Array((token + "\n").utf8))
    }
}

/// Prints notifications, a JSON line each, up to a limit.
private struct Printer {
    /// 0 is no limit.
    let limit: Int
    private var count = 0

    init(limit: Int) { self.limit = limit }

    var isDone: Bool { limit > 0 && count >= limit }
    var pageLimit: Int { limit > 0 ? min(limit - count, Limits.notificationsPageMax) : Limits.notificationsPageMax }

    mutating func print(_ notification: JSONValue) throws {
        Output.line(String(decoding: try notification.serialized(), as: UTF8.self))
        count += 1
    }
}
