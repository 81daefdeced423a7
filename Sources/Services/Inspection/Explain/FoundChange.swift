import CloudMessages
import CloudModel
import EventLog
import ProtocolBuffers

/// A change as the log has it.
struct FoundChange {
    var change: Change
    var partition: TopicPartition
    var offset: Int64
    /// The time of its append.
    var time: Timestamp

    /// Entries before the place of a search among which nothing may be that comes later: twice the rows that a relay has
    /// under way, as many as an earlier one can append late, and as much for those of the new one between them.
    private static let repeatedEntries: Int64 = 4_000

    /// Finds a change of a database by its sequence: by binary search in each partition, as sequences ascend there, and
    /// once more where repeats of an earlier writer may have misled the search. Nil if it is not there any more, or never
    /// was. A partition costs some pages, also where it has no such change.
    static func find(
        _ sequence: CommitSequence, in database: DatabaseScope, _ evidence: LogEvidence
    ) async throws -> FoundChange? {
        let partitions = (0..<evidence.layout.partitions).map {
            TopicPartition(evidence.layout.changes(database), $0)
        }
        let changes = try await evidence.readers(of: partitions)
        for (partition, entries) in changes {
            if let found = try await halve(sequence, partition, entries, evidence) { return found }
        }
        for (partition, entries) in changes {
            if let found = try await halveBeforeRepeats(sequence, partition, entries, evidence) { return found }
        }
        return nil
    }

    /// Finds a change of a partition where repeats misled the search. Rows are appended in their order, so that nothing
    /// that comes later is before the change: where something is, the search is made again before that.
    private static func halveBeforeRepeats(
        _ sequence: CommitSequence, _ partition: TopicPartition, _ entries: any EntryReader, _ evidence: LogEvidence
    ) async throws -> FoundChange? {
        var held = entries.bounds
        while true {
            let place = try await evidence.firstNotBefore(entries, in: held) { entry in
                Self.sequence(of: entry).map { $0 < sequence }
            }
            var later: Int64?
            try await evidence.scan(entries, from: max(held.start, place - repeatedEntries), to: place) { entry in
                if let met = Self.sequence(of: entry), met >= sequence { later = entry.offset }
                return later != nil
            }
            guard let later else { return nil }
            // The change itself may be the first of those that are not before.
            held.end = later + 1
            if let found = try await halve(sequence, partition, entries, in: held, evidence) { return found }
            held.end = later
        }
    }

    /// Finds a change of a partition by binary search; nil as well where repeats of an earlier writer misled it.
    /// - Parameter held: the offsets among which it is looked for; nil for all of the reader's.
    static func halve(
        _ sequence: CommitSequence, _ partition: TopicPartition, _ entries: any EntryReader,
        in held: OffsetBounds? = nil, _ evidence: LogEvidence
    ) async throws -> FoundChange? {
        let held = held ?? entries.bounds
        let place = try await evidence.firstNotBefore(entries, in: held) { entry in
            Self.sequence(of: entry).map { $0 < sequence }
        }
        var found: FoundChange?
        try await evidence.scan(entries, from: place, to: held.end) { entry in
            guard let met = Self.sequence(of: entry) else { return false }
            if met == sequence, let change = change(of: entry) { found = FoundChange(change, entry, partition) }
            return true
        }
        return found
    }

    /// The change at an offset; nil where it is not kept, or none.
    static func at(_ offset: Int64, _ partition: TopicPartition, _ evidence: LogEvidence) async throws -> FoundChange? {
        guard let entries = try await evidence.reader(of: partition), entries.bounds.contains(offset),
            let entry = try await evidence.entry(from: offset, to: offset + 1, of: entries)
        else { return nil }
        return change(of: entry).map { FoundChange($0, entry, partition) }
    }

    /// The sequence of an entry's change; nil for an entry that is none.
    private static func sequence(of entry: LogEntry) -> CommitSequence? {
        guard let event = try? entry.value.map({ try ChangeEvent(decoding: $0) }), !event.boundary else { return nil }
        return event.source.map { CommitSequence($0.offset) }
    }

    private init(_ change: Change, _ entry: LogEntry, _ partition: TopicPartition) {
        self.change = change
        self.partition = partition
        offset = entry.offset
        time = Timestamp(milliseconds: entry.appended.milliseconds)
    }

    private static func change(of entry: LogEntry) -> Change? {
        try? entry.value.map { try ChangeEvent(decoding: $0) }?.change()
    }
}
