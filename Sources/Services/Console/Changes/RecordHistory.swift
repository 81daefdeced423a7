import CloudMessages
import CloudModel
import EventLog
import ProtocolBuffers

/// The kept changes of one record, read backwards from the end of its partition. A page reads a bounded part of the
/// partition, also where it finds nothing.
struct RecordHistory: Sendable {
    /// A page, the latest change first.
    struct Page: Sendable {
        var rows: [ChangePage.Row] = []
        var partition: Int32
        var bounds: OffsetBounds
        /// The offset below which the next page begins; nil at the first kept entry.
        var next: Int64?
    }

    /// Entries that are read in one direction before the next ones below them: at first the fewest, as their size is
    /// unknown, then as many as have some megabytes.
    private static let chunkEntries: ClosedRange<Int64> = 16...1000
    private static let chunkBytes = 4 << 20

    private let log: any EventLog
    private let place: TopicPartition
    private let key: [UInt8]
    private let zone: ZoneID
    private let record: RecordName

    init(_ log: any EventLog, _ layout: TopicLayout, _ database: DatabaseScope, _ zone: ZoneID, _ record: RecordName) {
        self.log = log
        self.zone = zone
        self.record = record
        key = layout.changeKey(database, record, in: zone)
        place = TopicPartition(layout.changes(database), layout.partition(of: key))
    }

    func read(before: Int64?, limit: Int) async throws -> Page {
        guard let held = try await log.bounds(of: [place])[place] else {
            return Page(partition: place.partition, bounds: OffsetBounds(start: 0, end: 0))
        }
        var page = Page(partition: place.partition, bounds: held)
        var high = min(max(before ?? held.end, held.start), held.end)
        var room = PartitionPage.bytesMax
        var left = Limits.historyBytesMax
        var count = Self.chunkEntries.lowerBound
        while high > held.start {
            let low = max(held.start, high - count)
            let chunk = try await chunk(from: low, to: high, limit: limit - page.rows.count, room: room)
            page.rows += chunk.rows.reversed().map { ChangePage.Row(partition: place.partition, entry: $0) }
            room -= chunk.bytes
            left -= chunk.readBytes
            let fitting = Int64(Self.chunkBytes) * (high - low) / Int64(max(1, chunk.readBytes))
            count = min(max(fitting, Self.chunkEntries.lowerBound), Self.chunkEntries.upperBound)
            high = chunk.reached
            if page.rows.count >= limit || high > low || left <= 0 || room <= 0 { break }
        }
        page.next = high > held.start ? high : nil
        return page
    }

    /// A part of the partition, with its changes of the record.
    private struct Chunk {
        var rows: [LogEntry] = []
        var bytes = 0
        /// The offset from which on all of the record's changes are in `rows`.
        var reached: Int64
        var readBytes = 0
    }

    /// The latest changes of the record in a part of the partition, as many as there is room for, and at least one.
    private func chunk(from low: Int64, to high: Int64, limit: Int, room: Int) async throws -> Chunk {
        var chunk = Chunk(reached: low)
        let follower = try await log.look(place, from: low)
        defer { follower.close() }
        var next = low
        while next < high {
            let batch = try await follower.next()
            for entry in batch.entries where entry.offset < high {
                let bytes = entry.value?.count ?? 0
                chunk.readBytes += max(bytes, 64)
                guard isOfRecord(entry) else { continue }
                chunk.rows.append(entry)
                chunk.bytes += bytes
                while chunk.rows.count > limit || chunk.rows.count > 1 && chunk.bytes > room {
                    let dropped = chunk.rows.removeFirst()
                    chunk.bytes -= dropped.value?.count ?? 0
                    chunk.reached = dropped.offset + 1
                }
            }
            guard batch.nextOffset > next else { break }
            next = batch.nextOffset
        }
        return chunk
    }

    private func isOfRecord(_ entry: LogEntry) -> Bool {
        guard entry.key == key, let value = entry.value, let event = try? ChangeEvent(decoding: value),
            let message = event.after ?? event.before
        else { return false }
        return message.name == record.rawValue && message.zone?.zoneID == zone
    }
}
