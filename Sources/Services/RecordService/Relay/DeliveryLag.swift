import EventLog

/// The time that delivery is behind the published changes, by partition, from the ends and committed offsets of
/// partitions. Pure: the caller passes the time.
///
/// It keeps one end of each partition until everything before it is done; the time since that end was seen is the lag
/// of the partition. So a lag is never too large, and too small by at most one such time.
struct DeliveryLag {
    private struct Mark {
        var end: Int64
        var since: ContinuousClock.Instant
    }

    private var marks: [TopicPartition: Mark] = [:]
    /// The lags of the partitions that are behind, as they were learned last.
    private(set) var lags: [TopicPartition: Duration] = [:]
    /// The entries that wait in partitions, where it is known which are done.
    private(set) var waiting: [TopicPartition: Int64] = [:]

    /// Takes over ends and committed offsets.
    /// - Parameters:
    ///     - ends: the end offsets of the partitions that stages read.
    ///     - done: the next offset of each that is not done; partitions without one have done nothing.
    mutating func learn(
        ends: [TopicPartition: Int64], done: [TopicPartition: Int64], at now: ContinuousClock.Instant
    ) {
        lags = [:]
        waiting = [:]
        for (partition, end) in ends {
            let reached = done[partition] ?? 0
            if let reached = done[partition], reached < end { waiting[partition] = end - reached }
            // A recreated topic ends before the mark.
            if let mark = marks[partition], reached < mark.end, mark.end <= end {
                lags[partition] = now - mark.since
            } else {
                marks[partition] = reached < end ? Mark(end: end, since: now) : nil
            }
        }
    }

    /// The lag of the partition that is behind most.
    var longest: Duration { lags.values.max() ?? .zero }
}
