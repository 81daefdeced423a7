import CloudModel
import EventLog
import Messages
import Stages
import Synchronization
import Telemetry

/// Keeps the table of subscriptions up to date from the topic, and makes those wait who need more of it.
final class SubscriptionFollower: Sendable {
    static let versions = Gauge(
        "fanfare_subscription_matcher_subscription_versions", "Versions of subscriptions in the matcher's table.")
    static let malformed = Counter(
        "fanfare_subscription_matcher_malformed_subscriptions_total",
        "Subscription events that could not be read and were set aside.")

    private struct State: ~Copyable {
        var table = SubscriptionTable()
        var readTo: Int64 = 0
    }

    private let state = Mutex(State())
    private let bell = Bell<Int>()
    private let log: any EventLog
    private let partition: TopicPartition

    private let poison: PoisonWatch?

    init(log: any EventLog, topic: TopicName, poison: PoisonWatch? = nil) {
        self.log = log
        partition = TopicPartition(topic)
        self.poison = poison
    }

    /// Follows the topic from its beginning for ever.
    func run() async throws {
        let start = try await log.bounds(of: [partition])[partition]?.start ?? 0
        state.withLock { $0 = State(readTo: start) }
        let follower = try await log.follow(partition, from: start)
        defer { follower.close() }
        while true {
            let batch = try await follower.next()
            state.withLock { state in
                for entry in batch.entries { apply(entry, to: &state.table) }
                state.readTo = batch.nextOffset
                Self.versions.set(state.table.versionCount)
            }
            bell.ring(0)
        }
    }

    /// Waits until the table has everything that was in the topic when this was called.
    func waitForEnd() async throws {
        let end = try await log.bounds(of: [partition])[partition]?.end ?? 0
        try await wait { $0.readTo >= end }
    }

    /// Whether the table has reached the last subscription event before a change.
    func isReady(for change: Change) -> Bool { state.withLock { $0.table.reached >= change.lastSubscription } }

    /// Waits until the table has reached the last subscription event before a change, or has read to the end of the topic
    /// as it is now, after the change was read: that very event may have been removed.
    func wait(for change: Change) async throws {
        if isReady(for: change) { return }
        let end = try await log.bounds(of: [partition])[partition]?.end ?? 0
        try await wait { $0.table.reached >= change.lastSubscription || $0.readTo >= end }
    }

    /// The subscriptions that fire on a change.
    /// - Parameter deaths: how many processes have died at it. After two it is not the index that is asked: what kills it
    ///   need not kill the plain walk, which finds the same.
    func hits(of change: Change, afterDeaths deaths: Int) -> [SavedSubscription] {
        state.withLock { deaths < 2 ? $0.table.hits(of: change) : $0.table.hitsByWalk(of: change) }
    }

    private func wait(until condition: @Sendable (borrowing State) -> Bool) async throws {
        while true {
            try Task.checkCancellation()
            let ticket = bell.register(0)
            if state.withLock({ condition($0) }) {
                bell.drop(ticket, for: 0)
                return
            }
            await bell.wait(ticket, for: 0)
        }
    }

    private func apply(_ entry: LogEntry, to table: inout SubscriptionTable) {
        guard let key = entry.key else { return }
        do {
            _ = try poison.meet(entry.offset) { _ in
                guard let value = entry.value else { return table.remove(key: key) }
                try table.apply(key: key, try SubscriptionEvent(decoding: value))
            }
        } catch {
            Self.malformed.increment()
            Log.error("subscription.malformed", ["offset": entry.offset, "error": "\(error)"])
        }
    }
}
