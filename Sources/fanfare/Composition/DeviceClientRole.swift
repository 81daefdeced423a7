import CloudCalls
import CloudJSON
import CloudMessages
import CloudModel
import EventLog
import Feeds
import HTTPClient
import JSON
import KafkaLog
import Push
import Settings
import Stages
import Synchronization
import Waiting

/// `fanfare device-client`: follows a feed, over HTTP as an app does, or on Kafka as an operator does.
struct DeviceClientRole: Sendable {
    private let configuration: Configuration

    init(_ configuration: Configuration) { self.configuration = configuration }

    func run() async throws {
        guard let device = try? DeviceID(configuration.following.device) else {
            throw SettingsError("--device names the device: 1 to 64 letters, digits, '-' and '_'")
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            defer { group.cancelAll() }
            group.addTask {
                if configuration.client.url.isEmpty {
                    try await followLog(device)
                } else {
                    try await followHTTP(device)
                }
            }
            group.addTask { await Signals.waitForEnd() }
            try await group.next()
        }
    }

    /// Follows until the limit, or to the end for now. A follower without a limit outlives a service that is not there
    /// yet or is away for a while, and a sign-in that has ended.
    private func followHTTP(_ device: DeviceID) async throws {
        var sink = try NotificationSink(configuration)
        var pause = Duration.milliseconds(200)
        while true {
            let token = sink.token
            do {
                return try await followHTTP(device, &sink)
            } catch  where !configuration.following.untilCaughtUp && mayPass(error, hasRead: sink.token != token) {
                if sink.token != token { pause = .milliseconds(200) }
                Output.error("\(error); trying again in \(pause)")
                try await Task.sleep(for: pause)
                pause = min(pause * 2, .seconds(5))
            }
        }
    }

    private func followHTTP(_ device: DeviceID, _ sink: inout NotificationSink) async throws {
        let client = try await Clients.signedIn(configuration)
        try await client.register(device, name: device.rawValue, platform: "fanfare device-client")
        while !sink.isDone {
            let wait = configuration.following.untilCaughtUp ? 0 : Limits.waitSecondsMax
            let page = try await client.notifications(
                of: device, after: sink.token, limit: sink.pageLimit, waitSeconds: wait)
            try sink.take(page.json.map { try $0.serialized() }, token: page.token)
            if configuration.following.untilCaughtUp && !page.moreComing { return }
        }
    }

    /// Returns true if the same may succeed later: the service does not answer, or says so; or the sign-in has ended
    /// and can be made again.
    private func mayPass(_ error: any Error, hasRead: Bool) -> Bool {
        switch error {
        case let error as HTTPClientError: error.retry != .never
        case let error as FanfareError where error.code == .authenticationRequired:
            hasRead && configuration.client.webAuthToken.isEmpty
        case let error as FanfareError: error.isTransient
        default: false
        }
    }

    private func followLog(_ device: DeviceID) async throws {
        let log = try Backends.kafka(configuration)
        try await Task.closing({ await log.close() }) { try await follow(device, on: log) }
    }

    private func follow(_ device: DeviceID, on log: KafkaLog) async throws {
        let keys = try Backends.keys(configuration, mayMake: false)
        let feed = LogFeed(log: log, layout: Backends.layout(configuration, try configuration.target), keys: keys)
        let identity = try await feed.identity(of: device)
        try await withThrowingTaskGroup(of: Void.self) { group in
            defer { group.cancelAll() }
            group.addTask { try await follow(identity, feed.service) }
            group.addTask { await beHeard(identity, on: log) }
            // The other one never ends by itself.
            try await group.next()
        }
    }

    /// Is a member of the group of the feed's readers, with a committed offset, until the task is cancelled: by that the
    /// record-service knows that the device is not silent.
    private func beHeard(_ identity: FeedIdentity, on log: KafkaLog) async {
        let layout = Backends.layout(configuration, identity.scope)
        let (group, partitions) = layout.readers(of: identity.device, identity.epoch, identity.user)
        let partition = partitions[0]
        let hasComplained = Mutex(false)
        await persistently(failed: { error, _ in
            let isFirst = hasComplained.withLock { has in
                defer { has = true }
                return !has
            }
            guard isFirst else { return }
            Output.error("the device may count as silent: it cannot commit in the group \(group): \(error)")
        }) {
            let member = try await log.join(group, topics: [partition.topic])
            try await Task.closing({ await member.leave() }) {
                while true {
                    switch try await member.next() {
                    case .assigned(let partitions):
                        guard partitions.contains(partition) else { continue }
                        try await member.commit([partition: LogPosition(offset: 0)])
                    case .revoked(let partitions): try await member.release(partitions)
                    case .lost: continue
                    }
                }
            }
        }
    }

    private func follow(_ identity: FeedIdentity, _ service: FeedService) async throws {
        let payloads = PushPayloads(
            container: identity.scope.container, identifier: service.identifiers.encode)
        let encoder = NotificationJSON(identifier: service.identifiers.encode, payload: payloads.write)
        var sink = try NotificationSink(configuration)
        while !sink.isDone {
            let wait = configuration.following.untilCaughtUp ? Duration.zero : .seconds(Limits.waitSecondsMax)
            let answer = try await service.changes(
                in: identity, after: sink.token, limit: sink.pageLimit, waiting: wait)
            try sink.take(answer.notifications.map(encoder.bytes), token: answer.token)
            if configuration.following.untilCaughtUp && !answer.moreComing { break }
        }
    }
}
