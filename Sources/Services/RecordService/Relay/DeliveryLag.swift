import EventLog

/// The time that delivery is behind what was published, from ends and offsets that are told now and then: pure, told the time.
///
/// Of each partition one end is kept until everything before it is done; the time since it was seen is how far the partition is behind.
/// So the lag is never told too large, and at most by one such time too small.
struct DeliveryLag {
    private struct Mark {
        var end: Int64
        var since: ContinuousClock.Instant
    }

    private var marks: [TopicPartition: Mark] = [:]
    /// The lag of the partition that is behind most, as it was learned last.
    private(set) var lag = Duration.zero

    /// Takes over what is known.
    /// - Parameters:
    ///   - ends: the ends of the partitions that stages read.
    ///   - done: the next offset of each that is not done; those without one have done nothing.
    mutating func learn(
        ends: [TopicPartition: Int64], done: [TopicPartition: Int64], at now: ContinuousClock.Instant
    ) {
        var longest = Duration.zero
        for (partition, end) in ends {
            let reached = done[partition] ?? 0
            // A topic that was made anew ends before the mark.
            if let mark = marks[partition], reached < mark.end, mark.end <= end {
                longest = max(longest, now - mark.since)
            } else {
                marks[partition] = reached < end ? Mark(end: end, since: now) : nil
            }
        }
        lag = longest
    }
}
