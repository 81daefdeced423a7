import CloudMessages
package import CloudModel
package import EventLog
import Waiting

/// Users' journals, read from the process's view.
extension JournalTail: Journals {
    package func reader(of user: UserRecordName, notOlderThan age: Duration) async throws -> any EntryReader {
        let partition = layout.journals(of: user)
        let rebuilds = rebuilds(of: partition)
        var bounds = try await ends.bounds(of: partition, notOlderThan: age)
        // Bounds that the view does not agree with would be requested again later, and reading begin between two answers.
        if age > .zero, !agrees(with: bounds, of: partition) { bounds = try await ends.bounds(of: partition) }
        return JournalReader(self, partition, key: layout.userKey(user), bounds, rebuilds: rebuilds)
    }

    package func users() async throws -> [UserRecordName] {
        var users: [UserRecordName] = []
        for partition in partitions {
            try await reach(partition, ends.bounds(of: partition).end)
            users += try await view.keys(of: partition).map { UserRecordName(key: $0) }
        }
        return users
    }
}

/// Reads one user's journal in the process's view, which has by then what the log had when the reader was opened.
private struct JournalReader: EntryReader {
    let bounds: OffsetBounds
    private let tail: JournalTail
    private let partition: TopicPartition
    private let key: [UInt8]
    /// The number of rebuilds of the partition when the reader was opened, before the view was waited for.
    private let rebuilds: Int

    init(_ tail: JournalTail, _ partition: TopicPartition, key: [UInt8], _ bounds: OffsetBounds, rebuilds: Int) {
        self.tail = tail
        self.partition = partition
        self.key = key
        self.bounds = bounds
        self.rebuilds = rebuilds
    }

    func batch(from offset: Int64) async throws -> LogBatch {
        // Nothing below waits, where the view has the range, and a journal may be long.
        try Task.checkCancellation()
        try check(offset)
        try await tail.reach(partition, bounds.end, unlessRebuiltSince: rebuilds)
        try check(offset)
        let batch = try await tail.view.entries(of: key, in: partition, from: offset)
        // The entries may be of the topic that replaced the reader's own, or retention took some meanwhile.
        try check(offset)
        return batch
    }

    func wait(from offset: Int64) async throws {
        try await tail.moved.wait(for: partition) {
            tail.next(of: partition) > offset || tail.rebuilds(of: partition) != rebuilds
        }
    }

    func close() {}

    private func check(_ offset: Int64) throws(LogError) {
        let start = max(bounds.start, tail.start(of: partition) ?? 0)
        let end = max(bounds.end, tail.next(of: partition))
        guard tail.rebuilds(of: partition) == rebuilds, (start...max(start, end)).contains(offset) else {
            throw .offsetOutOfRange(partition, requested: offset, bounds: OffsetBounds(start: start, end: end))
        }
    }
}
