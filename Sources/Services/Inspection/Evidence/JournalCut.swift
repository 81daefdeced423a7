import CloudMessages
import CloudModel
import EventLog

/// The beginning of a partition of journals from which retention has removed entries.
struct JournalCut {
    /// Clocks of processes that commit and append differ by less than this, and entries are out of the order of their
    /// changes' times by less.
    static let clockMillisecondsMax: Int64 = 3_600_000

    /// The first offset that is kept.
    let start: Int64
    /// The time of the append of the first kept entry, whose user may be any; nil where none is kept.
    private let first: Timestamp?

    init(start: Int64, first: LogEntry?) {
        self.start = start
        // On the embedded log `timestamp` is the time of the event.
        self.first = first.map { Timestamp(max($0.timestamp, $0.appended)) }
    }

    /// Returns true if retention may have removed the notification of a change that was committed at this time: it
    /// removes entries in the order of their appends, and the notification was appended after the commit.
    func mayHaveRemoved(_ committed: Timestamp) -> Bool {
        guard let first else { return true }
        return committed.milliseconds <= first.milliseconds + Self.clockMillisecondsMax
    }
}

/// The beginnings of partitions of journals, each read once as long as retention removes nothing more.
struct JournalCuts {
    private var known: [TopicPartition: JournalCut] = [:]

    /// Reads the beginning of a partition.
    /// - Parameter start: the first offset of the partition when the user's journal was read.
    /// - Returns: nil for a partition from which nothing was removed.
    mutating func cut(
        of user: UserRecordName, from start: Int64, _ evidence: LogEvidence
    ) async throws -> JournalCut? {
        guard start > 0 else { return nil }
        let partition = evidence.layout.journals(of: user)
        if let cut = known[partition], cut.start >= start { return cut }
        var cut = JournalCut(start: start, first: nil)
        if let entries = try await evidence.reader(of: partition) {
            // The bounds may be older than those of the journal.
            let start = max(start, entries.bounds.start)
            cut = JournalCut(start: start, first: try await entries.first(from: start))
        }
        known[partition] = cut
        return cut
    }
}
