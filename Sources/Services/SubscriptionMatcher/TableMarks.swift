import CloudMessages
import CloudModel
import EventLog

/// The last entries that a table of subscriptions was made of. A log that was restored from an older copy, or lost its
/// tail, has others at their offsets, though cluster, topic and incarnation are the same.
struct TableMarks {
    /// Entries that are remembered: more than the relay's and the matchers' own ones, which compaction replaces, in a row.
    static let countMax = 32

    /// The latest last.
    private(set) var marks: [EntryMark] = []

    init() {}

    init(_ header: SnapshotHeader) { marks = header.marks.map { EntryMark(offset: $0.offset, hash: $0.hash) } }

    /// The marks as a snapshot holds them.
    var messages: [SnapshotMark] { marks.map { SnapshotMark(offset: $0.offset, hash: $0.hash) } }

    /// Takes note of entries that were read.
    mutating func note(_ entries: [LogEntry]) {
        marks = (marks + entries.suffix(Self.countMax).map(Self.mark)).suffix(Self.countMax)
    }

    /// Returns true if a log has the same history up to an offset: of the marked entries that compaction has left there,
    /// the latest is the same.
    /// - Parameter next: the offset behind the last mark.
    func hold(in partition: TopicPartition, before next: Int64, on log: any EventLog) async throws -> Bool {
        guard let first = marks.first, let bounds = try await log.bounds(of: [partition])[partition],
            next <= bounds.end
        else { return false }
        var found: [Int64: UInt64] = [:]
        try await log.read(partition, from: max(first.offset, bounds.start), to: next) { entry in
            found[entry.offset] = Self.mark(entry).hash
        }
        return agree(with: found)
    }

    /// Returns true if the latest mark whose offset is still taken has the entry there.
    /// - Parameter found: the hashes of the log's entries, by their offsets.
    func agree(with found: [Int64: UInt64]) -> Bool {
        guard let latest = marks.last(where: { found[$0.offset] != nil }) else { return false }
        return found[latest.offset] == latest.hash
    }

    /// Returns true if a partition still has a marked entry.
    static func has(_ mark: EntryMark, in partition: TopicPartition, on log: any EventLog) async throws -> Bool {
        guard let bounds = try await log.bounds(of: [partition])[partition], bounds.start <= mark.offset,
            mark.offset < bounds.end
        else { return false }
        var isThere = false
        try await log.read(partition, from: mark.offset, to: mark.offset + 1) { isThere = Self.mark($0) == mark }
        return isThere
    }

    static func mark(_ entry: LogEntry) -> EntryMark {
        EntryMark(offset: entry.offset, hash: ((entry.key ?? []) + [0] + (entry.value ?? [])).stableHash())
    }
}
