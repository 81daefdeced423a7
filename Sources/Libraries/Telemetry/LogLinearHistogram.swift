/// Counts durations in buckets whose width grows with their value: 64 linear steps between powers of two.
///
/// A percentile is the upper end of its bucket, so it is never below the true value and at most 1/64 (1.6 %) above it,
/// or 1 µs, if that is more. Unit: microseconds, 0 to 2^40 (12 days); longer ones count as the longest.
package struct LogLinearHistogram: Sendable {
    /// Linear steps between two powers of two.
    package static let steps = 64
    /// The most that a percentile can lie above the true value, as a share of it.
    package static let relativeErrorMax = 1.0 / Double(steps)
    private static let bits = 6
    private static let largest = (Int64(1) << 40) - 1

    private var counts = [Int64](repeating: 0, count: (41 - bits) * steps)
    /// The number of durations counted.
    package private(set) var count: Int64 = 0
    /// The sum of all durations in microseconds.
    package private(set) var sum: Int64 = 0
    /// The longest duration in microseconds, exactly.
    package private(set) var longest: Int64 = 0

    package init() {}

    /// Counts a duration in microseconds; negative ones count as 0.
    package mutating func record(_ microseconds: Int64) {
        let value = min(max(microseconds, 0), Self.largest)
        counts[Self.index(of: value)] += 1
        count += 1
        sum += value
        longest = max(longest, value)
    }

    /// Adds what another histogram has counted.
    package mutating func merge(_ other: LogLinearHistogram) {
        for index in counts.indices { counts[index] += other.counts[index] }
        count += other.count
        sum += other.sum
        longest = max(longest, other.longest)
    }

    /// The duration in microseconds that a share (0...1) of all does not exceed; nil when nothing was counted.
    package func percentile(_ share: Double) -> Int64? {
        guard count > 0 else { return nil }
        let rank = max(1, Int64((share * Double(count)).rounded(.up)))
        var seen: Int64 = 0
        for index in counts.indices {
            seen += counts[index]
            if seen >= rank { return min(Self.upperEnd(of: index), longest) }
        }
        return longest
    }

    /// Returns the number of durations that did not exceed a number of microseconds, up to the width of its bucket.
    package func countUpTo(_ microseconds: Int64) -> Int64 {
        guard microseconds >= 0 else { return 0 }
        return counts[...Self.index(of: min(microseconds, Self.largest))].reduce(0, +)
    }

    /// Values below 64 have a bucket each; above, the leading bits choose the row and the next six the step.
    private static func index(of value: Int64) -> Int {
        if value < Int64(steps) { return Int(value) }
        let magnitude = 63 - value.leadingZeroBitCount
        let row = magnitude - bits + 1
        return row * steps + Int(value >> Int64(magnitude - bits)) - steps
    }

    private static func upperEnd(of index: Int) -> Int64 {
        if index < steps { return Int64(index) }
        let row = index / steps
        let step = Int64(index % steps + steps)
        return ((step + 1) << Int64(row - 1)) - 1
    }
}
