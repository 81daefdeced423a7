import EventLog

/// Decides in which steps a batch of `deliveries` is worked on: pure, so that its rule can be tested by itself.
enum DeliveryPlan {
    /// Bytes of entries of `deliveries` after which a step is full.
    static let stepBytesMax = 1 << 20
    /// Bytes of entries to be written after which a step takes no further entry of `deliveries`: an entry of a few
    /// kilobytes, whose hits have their texts in common, makes some hundred kilobytes.
    static let outputBytesMax = 2 << 20

    /// Cuts a batch into steps of few bytes. A step that makes too many bytes ends before (`outputBytesMax`).
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
