import EventLog

/// Decides in which steps a batch of `deliveries` is worked on: pure, so that its rule can be tested by itself.
enum DeliveryPlan {
    /// Bytes of entries of `deliveries` after which a step is full.
    static let stepBytesMax = 1 << 20

    /// Cuts a batch into steps of few bytes: a step holds what it writes to all devices of its users at once.
    static func steps(_ entries: [LogEntry]) -> [ArraySlice<LogEntry>] {
        var steps: [ArraySlice<LogEntry>] = []
        var start = 0
        var bytes = 0
        for (index, entry) in entries.enumerated() {
            bytes += entry.value?.count ?? 0
            guard bytes >= stepBytesMax || index == entries.count - 1 else { continue }
            steps.append(entries[start...index])
            (start, bytes) = (index + 1, 0)
        }
        return steps
    }
}
