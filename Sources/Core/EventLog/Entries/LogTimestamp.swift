/// The time of an entry.
package struct LogTimestamp: Hashable, Comparable, Sendable {
    /// Milliseconds since 1970, UTC.
    package var milliseconds: Int64

    package init(milliseconds: Int64) { self.milliseconds = milliseconds }

    package static func < (left: LogTimestamp, right: LogTimestamp) -> Bool { left.milliseconds < right.milliseconds }
}
