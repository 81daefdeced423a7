import CloudMessages
import CloudModel
import EventLog
import Telemetry
import Timing
import Waiting

/// Backpressure: while a partition is behind by more than a bound, records are not saved whose changes or hits go to
/// it, so that its backlog stays bounded (docs/decisions/0033-a-partition-that-is-behind-stops-its-own.md).
package final class DeliveryWatch: Sendable {
    static let lag = PeakGauge(
        "fanfare_record_service_delivery_lag_seconds", "The time that delivery is behind the published changes.")
    static let refusals = Counter(
        "fanfare_record_service_throttled_saves_total",
        "Requests that saved nothing, as a partition that they write to was behind by too much.")

    private static let pause = Duration.seconds(1)

    /// A partition of the changes of a database.
    struct ChangePartition: Hashable {
        var database: DatabaseScope
        var number: Int32
    }

    private struct State {
        var lag = DeliveryLag()
        /// The partitions that are behind by the bound.
        var late: Set<TopicPartition> = []
        /// A partition of `deliveries` in which more than `Limits.deliveryBacklogMax` entries wait.
        var full: TopicPartition?
    }

    private let bound: Duration
    private let layout: TopicLayout
    private let changes: [TopicPartition]
    private let deliveries: [TopicPartition]
    private let state = BusyMutex(State())

    /// - Parameter bound: the lag from which on records are not saved; zero for none.
    init(bound: Duration, layout: TopicLayout) {
        self.bound = bound
        self.layout = layout
        func partitions(of topic: TopicName) -> [TopicPartition] {
            (0..<layout.partitions).map { TopicPartition(topic, $0) }
        }
        changes = DatabaseScope.allCases.flatMap { partitions(of: layout.changes($0)) }
        deliveries = partitions(of: layout.deliveries)
    }

    deinit { Self.lag.withdraw(self) }

    /// Refuses to save records for a user whose own notifications are behind by too much.
    /// - Throws: `THROTTLED` with `retryAfter`.
    func check(_ user: UserRecordName) throws(CloudError) {
        let partition = layout.deliveries(of: user)
        try refuse(state.withLock { $0.late.contains(partition) ? partition : nil })
    }

    /// Refuses a commit with changes for a partition that is behind by too much, or with hits for one.
    ///
    /// The hits of the private database go to the owner alone, whose partition of `deliveries` has the number of the
    /// owner's changes. Those of the public and of the shared database go to many users: one partition that is behind
    /// refuses nothing but the saves of its own users, until it is full.
    /// - Throws: `THROTTLED` with `retryAfter`.
    func check(_ changes: Set<ChangePartition>) throws(CloudError) {
        let late = state.withLock { state -> TopicPartition? in
            guard !state.late.isEmpty || state.full != nil else { return nil }
            for change in changes {
                var watched = [TopicPartition(layout.changes(change.database), change.number)]
                if change.database != .public { watched.append(TopicPartition(layout.deliveries, change.number)) }
                if let late = watched.first(where: state.late.contains) { return late }
                if change.database != .private, let full = state.full { return full }
            }
            return nil
        }
        try refuse(late)
    }

    private func refuse(_ partition: TopicPartition?) throws(CloudError) {
        guard let partition, bound > .zero else { return }
        let (lag, waiting) = state.withLock { ($0.lag.lags[partition] ?? .zero, $0.lag.waiting[partition] ?? 0) }
        Self.refusals.increment()
        throw CloudError(
            .throttled,
            lag >= bound
                ? "notifications are \(lag.components.seconds) s behind in \(partition), where these would go, and records are saved again when it is less than \(bound.components.seconds) s"
                : "\(waiting) entries wait in \(partition), where notifications of these may go, and records are saved again when they are fewer than \(Limits.deliveryBacklogMax)",
            retryAfterSeconds: 5)
    }

    /// Takes over ends and committed offsets.
    func learn(ends: [TopicPartition: Int64], done: [TopicPartition: Int64], at now: ContinuousClock.Instant) {
        guard bound > .zero else { return }
        let lag = state.withLock { state in
            state.lag.learn(ends: ends, done: done, at: now)
            state.late = Set(state.lag.lags.filter { $0.value >= bound }.keys)
            state.full = deliveries.first { state.lag.waiting[$0] ?? 0 >= Limits.deliveryBacklogMax }
            return state.lag.longest
        }
        Self.lag.set(Int(lag.components.seconds), of: self)
    }

    /// Asks the log every second, until the task is cancelled. While it cannot be asked, the last answer counts.
    func run(on log: any EventLog, _ progress: DeliveryProgress) async {
        guard bound > .zero else { return }
        while true {
            do { try await Time.sleep(for: Self.pause) } catch { return }
            // First the ends, then the committed offsets: the other way round, new entries would look like a lag.
            guard let ends = try? await log.bounds(of: changes + deliveries).mapValues(\.end),
                let matched = try? await log.committedOffsets(of: layout.matchingGroup, changes)
            else { continue }
            let done = matched.merging(progress.applied(of: deliveries)) { $1 }
            learn(ends: ends, done: done, at: Time.now)
        }
    }
}
