import EventLog

/// One partition of a `MemoryLog`.
struct MemoryPartition {
    /// Entries in one batch at most.
    static let batchEntriesMax = 1000

    private var start: Int64 = 0
    private var entries: [LogEntry] = []

    var bounds: OffsetBounds { OffsetBounds(start: start, end: start + Int64(entries.count)) }

    /// The last value of each key, without those removed.
    var latest: [[UInt8]: [UInt8]] {
        var result: [[UInt8]: [UInt8]] = [:]
        for entry in entries { if let key = entry.key { result[key] = entry.value } }
        return result
    }

    mutating func append(_ new: ArraySlice<OutgoingEntry>) {
        for entry in new {
            entries.append(
                LogEntry(
                    offset: bounds.end, timestamp: entry.timestamp, key: entry.key, value: entry.value,
                    headers: entry.headers))
        }
    }

    mutating func truncate(below offset: Int64) {
        let removed = max(0, min(Int(offset - start), entries.count))
        entries.removeFirst(removed)
        start += Int64(removed)
    }

    mutating func loseTail(_ count: Int) { entries.removeLast(min(max(0, count), entries.count)) }

    func read(_ name: TopicPartition, from offset: Int64) throws(LogError) -> LogBatch {
        let bounds = bounds
        guard (bounds.start...bounds.end).contains(offset) else {
            throw .offsetOutOfRange(name, requested: offset, bounds: bounds)
        }
        let first = Int(offset - start)
        let last = min(first + Self.batchEntriesMax, entries.count)
        return LogBatch(
            entries: Array(entries[first..<last]), nextOffset: start + Int64(last), isAtEnd: last == entries.count)
    }
}
