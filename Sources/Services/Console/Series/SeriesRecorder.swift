import CloudModel
package import JSON
import Synchronization
package import Telemetry
import Timing

#if canImport(Glibc)
    import Glibc
#endif

/// Takes a sample of each series every ten seconds and keeps those of the last hour in memory.
package final class SeriesRecorder: Sendable {
    /// The time between two samples.
    package static let interval = Duration.seconds(10)

    private struct State {
        /// The samples of each series, the oldest first; all series have equally many.
        var samples: [[Double?]]
        /// The time of the latest one, in milliseconds since 1970.
        var last: Int64 = 0
    }

    private let series: [Series]
    private let read: @Sendable (Set<String>) -> MetricReading
    private let wall: @Sendable () -> Int64
    private let state: Mutex<State>

    /// - Parameters:
    ///   - read: reads the metrics of some families.
    ///   - wall: returns the milliseconds since 1970.
    package init(
        _ series: [Series] = Series.all,
        read: @escaping @Sendable (Set<String>) -> MetricReading = { MetricRegistry.shared.reading(of: $0) },
        wall: @escaping @Sendable () -> Int64 = { WallClock.milliseconds }
    ) {
        self.series = series
        self.read = read
        self.wall = wall
        state = Mutex(State(samples: Array(repeating: [], count: series.count)))
    }

    /// Takes samples until the task is cancelled.
    package func run() async {
        let names = Set(series.map(\.rule.family))
        var before: MetricReading?
        var time = Time.now
        while true {
            let reading = read(names)
            let now = Time.now
            // Samples that nothing took, as the machine slept, have no value.
            let missed = before == nil ? 0 : max(0, Int(((now - time) / Self.interval).rounded()) - 1)
            note(reading, before, seconds: (now - time) / .seconds(1), missed: missed)
            (before, time) = (reading, now)
            do { try await Time.sleep(for: Self.interval) } catch { return }
        }
    }

    private func note(_ reading: MetricReading, _ before: MetricReading?, seconds: Double, missed: Int) {
        let values = series.map { $0.rule.value(reading, before, seconds: seconds) }
        let gap = [Double?](repeating: nil, count: min(missed, Limits.seriesSamplesKept))
        let last = wall()
        state.withLock { state in
            for (index, value) in values.enumerated() {
                state.samples[index] += gap + [value]
                let surplus = state.samples[index].count - Limits.seriesSamplesKept
                if surplus > 0 { state.samples[index].removeFirst(surplus) }
            }
            state.last = last
        }
    }

    /// A value with five digits, as a chart shows no more.
    private static func rounded(_ value: Double) -> Double {
        guard value != 0, value.isFinite else { return 0 }
        let unit = pow(10, (4 - log10(abs(value)).rounded(.down)))
        return (value * unit).rounded() / unit
    }

    /// The interval in seconds, the time of the first values, and the series that have any value.
    package var json: JSONObject {
        let (samples, last) = state.withLock { ($0.samples, $0.last) }
        let interval = Int64(Self.interval / .seconds(1))
        let count = Int64(samples.first?.count ?? 0)
        let known = zip(series, samples).filter { $1.contains { $0 != nil } }
        return [
            "interval": .integer(interval), "from": .integer(last - max(0, count - 1) * interval * 1000),
            "series": .array(
                known.map { one, values in
                    [
                        "name": .string(one.name), "label": .string(one.label), "group": .string(one.group),
                        "unit": .string(one.unit),
                        "values": .array(values.map { $0.map { .double(Self.rounded($0)) } ?? .null }),
                    ]
                }),
        ]
    }
}
