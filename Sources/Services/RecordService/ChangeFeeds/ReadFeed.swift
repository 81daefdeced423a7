import CloudMessages
import CloudModel
import ProtocolBuffers
import RecordStore

/// Entries of a zone's change feed that were read for a page, in its order, with the one after it if there is one.
struct ReadFeed {
    /// An entry with its record, cut if the request says so.
    struct Entry {
        var entry: FeedRecord
        /// The record; nil when it was deleted.
        var record: Record?
        /// The bytes that the record counts in the page.
        var bytes = 0
        /// The bytes of the record in the store.
        var readBytes = 0
    }

    private(set) var entries: [Entry] = []
    /// Indicates whether the reading ended for its bytes: then the last entry is beyond the page.
    private(set) var isLong = false

    /// Records that are read in one question, when they are cut.
    private static let partEntries = 32
    /// Bytes of those, of which the last may be more.
    private static let partBytes = 2 << 20

    /// Reads entries of a range.
    /// - Parameters:
    ///   - cutter: cuts records as they are read, in parts, so that few of them are whole at once.
    ///   - readMax: bytes of records in the store after which the reading of cut ones ends.
    init(
        of zone: ZoneID, in database: DatabaseScope, _ range: FeedRange, limit: Int, cutter: ValueCutter?,
        readMax: Int, _ reader: any StoreReader
    ) throws {
        guard let cutter else {
            let found = try reader.feed(of: zone, in: database, range, limit: limit)
            entries = try found.map { try Self.read($0, nil) }
            isLong = found.reduce(0) { $0 + ($1.body?.count ?? 0) } > range.bytesMax
            return
        }
        var (rest, bytes, read) = (range, 0, 0)
        while entries.count < limit, !isLong {
            rest.bytesMax = min(Self.partBytes, max(0, readMax - read))
            let part = try reader.feed(
                of: zone, in: database, rest, limit: min(Self.partEntries, limit - entries.count))
            guard let last = part.last else { break }
            for found in part where !isLong {
                let entry = try Self.read(found, cutter)
                entries.append(entry)
                bytes += entry.bytes
                read += entry.readBytes
                isLong = bytes > range.bytesMax || read > readMax
            }
            if range.isReverse { rest.before = last.sequence } else { rest.after = last.sequence }
        }
    }

    private static func read(_ found: FeedRecord, _ cutter: ValueCutter?) throws -> Entry {
        guard let body = found.body else { return Entry(entry: found) }
        var entry = Entry(entry: found, bytes: body.count, readBytes: body.count)
        entry.entry.body = nil
        entry.record = cutter.cut(try RecordMessage(decoding: body).record(), &entry.bytes)
        return entry
    }
}
