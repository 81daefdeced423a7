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

    /// Reads a page.
    /// - Returns: nil where there is no such partition.
    package static func read(
        _ place: TopicPartition, from start: Start, limit: Int, on log: any EventLog
    ) async throws -> PartitionPage? {
        do {
            guard let held = try await log.bounds(of: [place])[place] else { return nil }
            return try await read(place, held, from: start, limit: limit, on: log)
        } catch LogError.unknownTopic {
            return nil
        }
    }

    /// Reads a page of a partition whose bounds are known.
    static func read(
        _ place: TopicPartition, _ held: OffsetBounds, from start: Start, limit: Int, on log: any EventLog
    ) async throws -> PartitionPage {
        switch start {
        case .latest: return try await latest(place, held, limit, log)
        case .time(let time):
            return try await read(place, held, try await offset(at: time, of: place, held, log), limit, log)
        case .offset(let offset): return try await read(place, held, offset, limit, log)
        }
    }

    private static func read(
        _ place: TopicPartition, _ held: OffsetBounds, _ offset: Int64, _ limit: Int, _ log: any EventLog
    ) async throws -> PartitionPage {
        let begin = min(max(offset, held.start), held.end)
        let (entries, next) = try await entries(of: place, from: begin, held, limit: limit, on: log)
        return PartitionPage(entries: entries, bounds: held, next: next)
    }

    /// The last entries. Offsets of a journal that shares its partition are far apart, so that the beginning moves until
    /// there are enough.
    private static func latest(
        _ place: TopicPartition, _ held: OffsetBounds, _ limit: Int, _ log: any EventLog
    ) async throws -> PartitionPage {
        var distance = Int64(limit)
        while true {
            let begin = max(held.start, held.end - distance)
            let (entries, next) = try await entries(of: place, from: begin, held, limit: .max, on: log)
            if entries.count >= limit || begin == held.start || next < held.end {
                return PartitionPage(entries: entries.suffix(limit), bounds: held, next: next)
            }
            distance *= 16
        }
    }

    /// The entries from an offset on, as far as the bounds, the limit and the bytes of a page reach.
    private static func entries(
        of place: TopicPartition, from offset: Int64, _ bounds: OffsetBounds, limit: Int, on log: any EventLog
    ) async throws -> (entries: [LogEntry], next: Int64) {
        guard offset < bounds.end else { return ([], bounds.end) }
        let follower = try await log.look(place, from: offset, holding: bounds)
        defer { follower.close() }
        var (entries, bytes, next): ([LogEntry], Int, Int64) = ([], 0, offset)
        while next < bounds.end {
            let batch = try await follower.next()
            for entry in batch.entries where entry.offset < bounds.end {
                entries.append(entry)
                bytes += entry.value?.count ?? 0
                if entries.count == limit || bytes >= Self.bytesMax { return (entries, entry.offset + 1) }
            }
            guard batch.nextOffset > next else { break }
            next = min(batch.nextOffset, bounds.end)
        }
        return (entries, next)
    }

    /// The offset of the first entry at a time or later, found by halves.
    private static func offset(
        at time: Timestamp, of place: TopicPartition, _ bounds: OffsetBounds, _ log: any EventLog
    ) async throws -> Int64 {
        var (low, high) = (bounds.start, bounds.end)
        while low < high {
            let middle = low + (high - low) / 2
            let found = try await entries(of: place, from: middle, bounds, limit: 1, on: log)
            guard let entry = found.entries.first else {
                high = middle
                continue
            }
            if Timestamp(entry.appended) < time { low = entry.offset + 1 } else { high = middle }
        }
        return low
    }
}
