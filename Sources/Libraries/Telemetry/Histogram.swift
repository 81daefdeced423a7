import Waiting

/// Durations as Prometheus sees them: counts up to fixed bounds. Named `fanfare_<service>_<noun>_seconds`.
package final class Histogram: Sendable {
    private let histogram = BusyMutex(LogLinearHistogram())

    /// The bounds that are exposed, in microseconds: 100 µs to 60 s.
    private static let bounds: [Int64] = [
        100, 250, 500, 1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000, 1_000_000, 2_500_000,
        5_000_000, 10_000_000, 30_000_000, 60_000_000,
    ]

    /// Registers a histogram.
    package init(_ name: StaticString, _ help: StaticString, labels: KeyValuePairs<StaticString, String> = [:]) {
        let pairs = labels.map { ($0.key.description, $0.value) }
        MetricRegistry.shared.register(name, help, "histogram") { [self] in
            let now = histogram.withLock { $0 }
            var samples = Self.bounds.map { bound in
                MetricRegistry.Sample(
                    suffix: "_bucket", labels: pairs + [("le", "\(Double(bound) / 1e6)")],
                    value: Double(now.countUpTo(bound)))
            }
            samples.append(.init(suffix: "_bucket", labels: pairs + [("le", "+Inf")], value: Double(now.count)))
            samples.append(.init(suffix: "_sum", labels: pairs, value: Double(now.sum) / 1e6))
            samples.append(.init(suffix: "_count", labels: pairs, value: Double(now.count)))
            return samples
        }
    }

    /// Counts a duration.
    package func record(_ duration: Duration) {
        let (seconds, attoseconds) = duration.components
        histogram.withLock { $0.record(seconds * 1_000_000 + attoseconds / 1_000_000_000_000) }
    }
}
