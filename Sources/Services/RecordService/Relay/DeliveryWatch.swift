import CloudMessages
import CloudModel
import EventLog
import Synchronization
import Telemetry

/// Backpressure: while delivery is behind by more than a bound, records are not saved, so that what is not delivered does not grow
/// without end.
package final class DeliveryWatch: Sendable {
    static let lag = PeakGauge(
        "fanfare_record_service_delivery_lag_seconds", "The time that delivery is behind what was published.")
    static let refusals = Counter(
        "fanfare_record_service_throttled_saves_total",
        "Requests that saved nothing, as delivery was behind by too much.")

    private static let pause = Duration.seconds(1)

    private let bound: Duration
    private let state = Mutex(DeliveryLag())

    /// - Parameter bound: the lag from which on records are not saved; zero for none.
    init(bound: Duration) { self.bound = bound }

    deinit { Self.lag.withdraw(self) }

    /// Refuses to save records while delivery is behind by too much.
    /// - Throws: `THROTTLED` with `retryAfter`.
    func check() throws(CloudError) {
        guard bound > .zero else { return }
        let lag = state.withLock(\.lag)
        guard lag >= bound else { return }
        Self.refusals.increment()
        throw CloudError(
            .throttled,
            "notifications are \(lag.components.seconds) s behind, and records are saved again when it is less than \(bound.components.seconds) s",
            retryAfterSeconds: 5)
    }

    /// Takes over what is known.
    func learn(ends: [TopicPartition: Int64], done: [TopicPartition: Int64], at now: ContinuousClock.Instant) {
        let lag = state.withLock { state in
            state.learn(ends: ends, done: done, at: now)
            return state.lag
        }
        Self.lag.set(Int(lag.components.seconds), of: self)
    }

    /// Asks the log every second, until the task is cancelled. While it cannot be asked, the last answer counts.
    func run(on log: any EventLog, _ layout: TopicLayout, _ progress: DeliveryProgress) async {
        guard bound > .zero else { return }
        let changes = DatabaseScope.allCases.flatMap { Self.partitions(of: layout.changes($0), layout) }
        let deliveries = Self.partitions(of: layout.deliveries, layout)
        while true {
            do { try await Task.sleep(for: Self.pause) } catch { return }
            // What is done is asked for before the ends: the other way round, all of an idle system would seem behind now and then.
            guard let ends = try? await log.bounds(of: changes + deliveries).mapValues(\.end),
                let matched = try? await log.committedOffsets(of: layout.matchingGroup, changes)
            else { continue }
            let done = matched.merging(progress.applied(of: deliveries)) { $1 }
            learn(ends: ends, done: done, at: .now)
        }
    }

    private static func partitions(of topic: TopicName, _ layout: TopicLayout) -> [TopicPartition] {
        (0..<layout.partitions).map { TopicPartition(topic, $0) }
    }
}
