import CloudMessages
import CloudModel
import EventLog
import JSON

/// A page of the topic of changes, as operators read it: from given offsets on, from a time, or the latest.
struct ChangePage: Sendable {
    /// Bytes of values after which a page ends.
    static let bytesMax = 8 << 20

    private let log: any EventLog
    private let layout: TopicLayout
    private let database: DatabaseScope

    init(_ log: any EventLog, _ layout: TopicLayout, _ database: DatabaseScope) {
        self.log = log
        self.layout = layout
        self.database = database
    }

    /// One entry of the topic.
    struct Row: Sendable {
        let partition: Int32
        let entry: LogEntry
    }

    /// The place to begin at.
    enum Start: Sendable {
        /// So many entries before the end of each partition.
        case latest
        /// The first entry at this time or later.
        case time(Timestamp)
        /// These offsets; partitions that are not named are not read.
        case offsets([Int32: Int64])
    }

    /// Reads entries, by time.
    /// - Returns: the rows, the bounds of each partition that was read, and where the next page begins.
    func read(
        from start: Start, partition: Int32?, limit: Int
    ) async throws -> (rows: [Row], bounds: [Int32: OffsetBounds], next: [Int32: Int64]) {
        let numbers = try partitions(start, partition)
        let topic = layout.changes(database)
        let places = numbers.map { TopicPartition(topic, $0) }
        let bounds = try await log.bounds(of: places)
        let share = max(1, limit / max(1, numbers.count))
        var (rows, next): ([Row], [Int32: Int64]) = ([], [:])
        for place in places {
            guard let held = bounds[place] else { continue }
            let first: Int64 =
                switch start {
                case .latest: held.end - Int64(share)
                case .time(let time): try await offset(at: time, of: place, held)
                case .offsets(let offsets): offsets[place.partition] ?? held.end
                }
            let begin = min(max(first, held.start), held.end)
            let found = try await entries(of: place, from: begin, held, limit: share)
            rows += found.entries.map { Row(partition: place.partition, entry: $0) }
            next[place.partition] = found.next
        }
        rows.sort {
            ($0.entry.timestamp, $0.partition, $0.entry.offset) < ($1.entry.timestamp, $1.partition, $1.entry.offset)
        }
        let all = Dictionary(uniqueKeysWithValues: bounds.map { ($0.key.partition, $0.value) })
        return (rows, all, next)
    }

    private func partitions(_ start: Start, _ partition: Int32?) throws(CloudError) -> [Int32] {
        var numbers = Array(0..<layout.partitions)
        if case .offsets(let offsets) = start { numbers = offsets.keys.sorted() }
        if let partition { numbers = [partition] }
        guard numbers.allSatisfy({ (0..<layout.partitions).contains($0) }) else {
            throw .badRequest("the changes have the partitions 0 to \(layout.partitions - 1)")
        }
        return numbers
    }

    /// The entries from an offset on, as far as the bounds reach.
    private func entries(
        of place: TopicPartition, from offset: Int64, _ bounds: OffsetBounds, limit: Int
    ) async throws -> (entries: [LogEntry], next: Int64) {
        guard offset < bounds.end else { return ([], bounds.end) }
        let follower = try await log.look(place, from: offset, holding: bounds)
        defer { follower.close() }
        var (entries, bytes, next): ([LogEntry], Int, Int64) = ([], 0, offset)
        while next < bounds.end {
            let batch = try await follower.next()
            for entry in batch.entries {
                entries.append(entry)
                bytes += entry.value?.count ?? 0
                if entries.count == limit || bytes >= Self.bytesMax { return (entries, entry.offset + 1) }
            }
            guard batch.nextOffset > next else { break }
            next = batch.nextOffset
        }
        return (entries, next)
    }

    /// The offset of the first entry at a time or later, found by halves.
    private func offset(at time: Timestamp, of place: TopicPartition, _ bounds: OffsetBounds) async throws -> Int64 {
        var (low, high) = (bounds.start, bounds.end)
        while low < high {
            let middle = low + (high - low) / 2
            let found = try await entries(of: place, from: middle, bounds, limit: 1)
            guard let entry = found.entries.first else {
                high = middle
                continue
            }
            if Timestamp(entry.timestamp) < time { low = entry.offset + 1 } else { high = middle }
        }
        return low
    }
}
