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

    /// Finds a change of a database by its sequence: by binary search in each partition, as sequences ascend there, and
    /// from the start if repeats of an earlier writer misled the search. Nil if it is not there any more, or never was.
    static func find(
        _ sequence: CommitSequence, in database: DatabaseScope, _ evidence: LogEvidence
    ) async throws -> FoundChange? {
        let partitions = (0..<evidence.layout.partitions).map {
            TopicPartition(evidence.layout.changes(database), $0)
        }
        let bounds = try await evidence.log.bounds(of: partitions)
        for partition in partitions {
            guard let held = bounds[partition] else { continue }
            if let found = try await halve(sequence, partition, held, evidence) { return found }
        }
        for partition in partitions {
            guard let held = bounds[partition] else { continue }
            var found: FoundChange?
            try await evidence.read(partition, from: held.start, to: held.end) { entry in
                guard found == nil, let change = change(of: entry), change.sequence == sequence else { return }
                found = FoundChange(change, entry, partition)
            }
            if let found { return found }
        }
        return nil
    }

    private static func halve(
        _ sequence: CommitSequence, _ partition: TopicPartition, _ held: OffsetBounds, _ evidence: LogEvidence
    ) async throws -> FoundChange? {
        var (low, high) = (held.start, held.end)
        while low < high {
            let middle = low + (high - low) / 2
            guard let entry = try await evidence.entry(from: middle, to: high, of: partition) else {
                high = middle
                continue
            }
            guard let met = change(of: entry) else {
                low = entry.offset + 1
                continue
            }
            if met.sequence == sequence { return FoundChange(met, entry, partition) }
            if met.sequence < sequence { low = entry.offset + 1 } else { high = middle }
        }
        return nil
    }

    private init(_ change: Change, _ entry: LogEntry, _ partition: TopicPartition) {
        self.change = change
        self.partition = partition
        offset = entry.offset
        time = Timestamp(milliseconds: entry.timestamp.milliseconds)
    }

    private static func change(of entry: LogEntry) -> Change? {
        try? entry.value.map { try ChangeEvent(decoding: $0) }?.change()
    }
}
