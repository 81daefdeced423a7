import Telemetry

/// The rule by which a series makes its values of the process's metrics.
package enum SeriesRule: Sendable {
    /// The sum of a family's numbers, or of those with a label.
    case sum(String, Label? = nil)
    /// The largest one of them.
    case peak(String, Label? = nil)
    /// The growth of their sum, a second.
    case rate(String, Label? = nil)
    /// A share (0…1) of the durations that a histogram counted since the value before is not above this, in seconds.
    case quantile(String, Double)

    /// A label that the numbers have.
    package struct Label: Hashable, Sendable {
        package var name: String
        package var value: String

        package init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    /// The family of metrics that it reads.
    var family: String {
        switch self {
        case .peak(let family, _), .sum(let family, _), .rate(let family, _), .quantile(let family, _): family
        }
    }

    /// The value at a reading; nil where there is none.
    /// - Parameters:
    ///   - before: the reading before; nil at the first one.
    ///   - seconds: the time between the two.
    func value(_ reading: MetricReading, _ before: MetricReading?, seconds: Double) -> Double? {
        switch self {
        case .sum(let family, let label): return Self.sum(reading, family, label)
        case .peak(let family, let label): return Self.numbers(reading, family, label)?.map(\.value).max()
        case .rate(let family, let label):
            guard let before, let now = Self.sum(reading, family, label), seconds > 0 else { return nil }
            // A counter that appeared since has counted from 0 on.
            let growth = now - (Self.sum(before, family, label) ?? 0)
            return growth < 0 ? nil : growth / seconds
        case .quantile(let family, let share):
            guard let before, let now = Self.buckets(reading, family) else { return nil }
            let earlier = Self.buckets(before, family) ?? [:]
            return Self.quantile(now.map { ($0.key, $0.value - (earlier[$0.key] ?? 0)) }, share)
        }
    }

    private static func numbers(_ reading: MetricReading, _ family: String, _ label: Label?) -> [MetricReading.Number]?
    {
        let found = reading.numbers(family, where: label.map { ($0.name, $0.value) })
        return found?.isEmpty == true ? nil : found
    }

    private static func sum(_ reading: MetricReading, _ family: String, _ label: Label?) -> Double? {
        numbers(reading, family, label)?.reduce(0) { $0 + $1.value }
    }

    /// The counts of a histogram up to each bound, of all its labels together.
    private static func buckets(_ reading: MetricReading, _ family: String) -> [Double: Double]? {
        guard let numbers = reading.numbers(family) else { return nil }
        var counts: [Double: Double] = [:]
        for number in numbers where number.suffix == "_bucket" {
            guard let bound = number.labels.last(where: { $0.0 == "le" }).flatMap({ Self.bound($0.1) }) else {
                continue
            }
            counts[bound, default: 0] += number.value
        }
        return counts
    }

    private static func bound(_ text: String) -> Double? { text == "+Inf" ? .infinity : Double(text) }

    /// As Prometheus' `histogram_quantile`: linear within the bucket; the last finite bound above it.
    static func quantile(_ counts: [(bound: Double, count: Double)], _ share: Double) -> Double? {
        let counts = counts.sorted { $0.bound < $1.bound }
        guard let all = counts.last?.count, all > 0 else { return nil }
        let rank = share * all
        var (low, below) = (0.0, 0.0)
        for (bound, count) in counts {
            if count >= rank {
                guard bound.isFinite, count > below else { return low }
                return low + (bound - low) * (rank - below) / (count - below)
            }
            if bound.isFinite { low = bound }
            below = count
        }
        return low
    }
}
