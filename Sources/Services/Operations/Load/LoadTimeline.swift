package import Telemetry

/// The course of a load run, second by second.
package struct LoadTimeline: Sendable {
    /// A second of it.
    package struct Second: Sendable {
        /// Notifications of the records that became due.
        package var due = 0
        /// Records that were saved.
        package var saved = 0
        /// Notifications that came.
        package var received = 0
        /// The latencies of those that came, end to end.
        package var latencies = LogLinearHistogram()
    }

    /// The seconds from the first save on.
    package private(set) var seconds: [Second] = []
    private static let secondsMax = 86_400

    package init() {}

    /// Changes a second, by microseconds since the first save.
    mutating func change(at microseconds: Int64, _ change: (inout Second) -> Void) {
        let number = Int(max(0, microseconds) / 1_000_000)
        guard number < Self.secondsMax else { return }
        while seconds.count <= number { seconds.append(Second()) }
        change(&seconds[number])
    }

    /// The notifications that were still to come at the end of each second.
    package var waiting: [Int] {
        var waiting = 0
        return seconds.map { second in
            waiting += second.due - second.received
            return waiting
        }
    }
}
