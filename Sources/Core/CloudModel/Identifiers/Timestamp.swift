/// Milliseconds since 1970-01-01 UTC, CloudKit's unit for every time on the wire.
package struct Timestamp: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// Milliseconds since 1970-01-01 00:00 UTC.
    package let milliseconds: Int64

    package init(milliseconds: Int64) { self.milliseconds = milliseconds }

    /// A time with a fraction of a millisecond, which is cut off, before 1970, too; nil for a number that is no time.
    /// Many clients multiply seconds.
    package init?(cutting milliseconds: Double) {
        guard let whole = Int64(exactly: milliseconds.rounded(.towardZero)) else { return nil }
        self.init(milliseconds: whole)
    }

    package static func < (left: Timestamp, right: Timestamp) -> Bool { left.milliseconds < right.milliseconds }

    package var description: String { "\(milliseconds)" }
}
