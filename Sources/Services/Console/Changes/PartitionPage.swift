import CloudMessages
package import CloudModel
package import EventLog

/// A page of one partition of the log, as operators read it: it moves no position and writes nothing.
package struct PartitionPage: Sendable {
    /// The place to begin at.
    package enum Start: Sendable {
        /// So many entries before the end.
        case latest
        /// The first entry at this time or later.
        case time(Timestamp)
        /// An offset; one that is not kept stands for the nearest that is.
        case offset(Int64)
    }

    /// Bytes of values after which a page ends.
    package static let bytesMax = 8 << 20

    /// The entries, in order.
    package let entries: [LogEntry]
    package let bounds: OffsetBounds
    /// The offset at which the next page begins.
    package let next: Int64

    /// Reads a page of a partition.
    /// - Returns: nil where there is no such partition.
    package static func read(
        _ place: TopicPartition, from start: Start, limit: Int, on log: any EventLog
    ) async throws -> PartitionPage? {
        do {
            return try await read(log.reader(of: place), from: start, limit: limit)
        } catch LogError.unknownTopic {
            return nil
        }
    }

    /// Reads a page of a partition, or of one key in it, as it was when the reader was opened.
    static func read(_ entries: any EntryReader, from start: Start, limit: Int) async throws -> PartitionPage {
        defer { entries.close() }
        switch start {
        case .latest: return try await latest(entries, limit)
        case .time(let time): return try await read(entries, try await offset(at: time, in: entries), limit)
        case .offset(let offset): return try await read(entries, offset, limit)
        }
    }

    private static func read(_ entries: any EntryReader, _ offset: Int64, _ limit: Int) async throws -> PartitionPage {
        let held = entries.bounds
        let begin = min(max(offset, held.start), held.end)
        let (found, next) = try await take(from: begin, of: entries, limit: limit)
        return PartitionPage(entries: found, bounds: held, next: next)
    }

    /// The last entries. Offsets of a journal that shares its partition are far apart, so that the beginning moves until
    /// there are enough.
    private static func latest(_ entries: any EntryReader, _ limit: Int) async throws -> PartitionPage {
        let held = entries.bounds
        var distance = Int64(limit)
        while true {
            let begin = max(held.start, held.end - distance)
            let (found, next) = try await take(from: begin, of: entries, limit: .max)
            if found.count >= limit || begin == held.start || next < held.end {
                return PartitionPage(entries: found.suffix(limit), bounds: held, next: next)
            }
            distance *= 16
        }
    }

    /// The entries from an offset on, as far as the bounds, the limit and the bytes of a page reach.
    private static func take(
        from offset: Int64, of entries: any EntryReader, limit: Int
    ) async throws -> (entries: [LogEntry], next: Int64) {
        let end = entries.bounds.end
        guard offset < end else { return ([], end) }
        var (found, bytes, next): ([LogEntry], Int, Int64) = ([], 0, offset)
        while next < end {
            let batch = try await entries.batch(from: next)
            for entry in batch.entries where entry.offset < end {
                found.append(entry)
                bytes += entry.value?.count ?? 0
                if found.count == limit || bytes >= Self.bytesMax { return (found, entry.offset + 1) }
            }
            guard batch.nextOffset > next else { break }
            next = min(batch.nextOffset, end)
        }
        return (found, next)
    }

    /// The offset of the first entry at a time or later, found by halves.
    private static func offset(at time: Timestamp, in entries: any EntryReader) async throws -> Int64 {
        var (low, high) = (entries.bounds.start, entries.bounds.end)
        while low < high {
            let middle = low + (high - low) / 2
            let found = try await take(from: middle, of: entries, limit: 1)
            guard let entry = found.entries.first else {
                high = middle
                continue
            }
            if Timestamp(entry.appended) < time { low = entry.offset + 1 } else { high = middle }
        }
        return low
    }
}
