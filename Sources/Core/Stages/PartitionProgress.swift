package import EventLog

/// The progress of a stage in one partition, and its condition. Pure: the caller passes the time.
package struct PartitionProgress: Sendable {
    /// The condition of the work on a partition.
    package enum Condition: String, Sendable, CaseIterable {
        /// The work has begun, and nothing was read yet.
        case starting
        /// All that is there is done.
        case idle
        /// There is something to do, and it is being done.
        case working
        /// There is something to do, and nothing was done for `stallAfter`.
        case stalled
        /// The work failed and is tried again.
        case failing
    }

    /// The last failure, until something is read again.
    package struct Failure: Sendable {
        /// The reason.
        package var reason: String
        /// True if trying again does not mend it.
        package var isLasting: Bool
        /// Failures in a row.
        package var count: Int
    }

    /// The time without progress after which work that waits is stalled.
    package static let stallAfter = Duration.seconds(30)

    /// The offset of the next entry to be done; nil before the first.
    package private(set) var next: Int64?
    /// The last reported end of the partition; a hint.
    package private(set) var end: Int64?
    /// The time of the last entry that was done: that of what it is about, where the stage knows it.
    package private(set) var time: LogTimestamp?
    /// The last failure; nil while the work goes on.
    package private(set) var failure: Failure?
    /// The last progress, or the moment at which there was something to do again.
    private var since: ContinuousClock.Instant

    /// Begins with a partition of which nothing is known.
    package init(at now: ContinuousClock.Instant) { since = now }

    /// Notes that everything before an offset is done.
    package mutating func advanced(to offset: Int64, time: LogTimestamp?, at now: ContinuousClock.Instant) {
        if offset != next || failure != nil { since = now }
        failure = nil
        next = offset
        self.time = time ?? self.time
    }

    /// Notes the partition's end.
    package mutating func learned(end: Int64, at now: ContinuousClock.Instant) {
        let wasIdle = entriesBehind == 0
        self.end = end
        if wasIdle, entriesBehind > 0 { since = now }
    }

    /// Notes a failure.
    package mutating func failed(_ error: any Error) {
        failure = Failure(
            reason: "\(error)", isLasting: Self.isLasting(error), count: (failure?.count ?? 0) + 1)
    }

    /// The entries that are not done yet, as far as is known.
    package var entriesBehind: Int64 {
        guard let next, let end else { return 0 }
        return max(0, end - next)
    }

    /// The condition at a time.
    package func condition(at now: ContinuousClock.Instant) -> Condition {
        if failure != nil { return .failing }
        if next != nil, entriesBehind == 0 { return .idle }
        if now - since > Self.stallAfter { return .stalled }
        return next == nil ? .starting : .working
    }

    /// The longest that a waiting entry may have waited: since the last finished entry was made.
    /// - Parameter wall: the same moment in the time of entries.
    package func behind(at now: ContinuousClock.Instant, wall: LogTimestamp) -> Duration {
        if next != nil, entriesBehind == 0 { return .zero }
        guard let time else { return max(.zero, now - since) }
        return .milliseconds(max(0, wall.milliseconds - time.milliseconds))
    }

    /// Returns true if a failure comes again however often one tries: an operator has to do something.
    package static func isLasting(_ error: any Error) -> Bool {
        switch error as? LogError {
        case .unknownTopic, .offsetOutOfRange, .entryTooLarge, .broken: true
        case .fenced, .writeFailed, .unavailable, .closed: false
        case nil: !(error is CancellationError)
        }
    }
}
