import CloudMessages
package import CloudModel
import EventLog

/// A page of the topic of changes, as operators read it: from given offsets on, from a time, or the latest.
package struct ChangePage: Sendable {
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
    package enum Start: Sendable {
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
            let first: PartitionPage.Start =
                switch start {
                case .latest: .offset(held.end - Int64(share))
                case .time(let time): .time(time)
                case .offsets(let offsets): .offset(offsets[place.partition] ?? held.end)
                }
            let page = try await PartitionPage.read(PartitionReader(log, place, held), from: first, limit: share)
            rows += page.entries.map { Row(partition: place.partition, entry: $0) }
            next[place.partition] = page.next
        }
        rows.sort {
            ($0.entry.appended, $0.partition, $0.entry.offset) < ($1.entry.appended, $1.partition, $1.entry.offset)
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
}
