import EventLog
import Synchronization
import Waiting

/// Follows one user's journal in the process's view.
final class JournalFollower: LogFollower {
    private struct State {
        var offset: Int64
        var hasReportedEnd = false
        var isClosed = false
    }

    private let tail: JournalTail
    private let partition: TopicPartition
    private let key: [UInt8]
    /// True for a read without waiting, which reports the end each time.
    private let isLook: Bool
    /// The number of rebuilds of the partition when the reader started.
    private let rebuilds: Int
    private let state: Mutex<State>

    /// - Parameter rebuilds: the number of rebuilds of the partition before the view was waited for.
    init(
        _ tail: JournalTail, _ partition: TopicPartition, key: [UInt8], from offset: Int64, isLook: Bool,
        rebuilds: Int
    ) {
        self.tail = tail
        self.partition = partition
        self.key = key
        self.isLook = isLook
        self.rebuilds = rebuilds
        state = Mutex(State(offset: offset))
    }

    func next() async throws -> LogBatch {
        // A read without waiting always returns a batch.
        if isLook {
            try Task.checkCancellation()
            if let batch = try await take() { return batch }
        }
        return try await tail.moved.wait(for: partition) { try await take() }
    }

    func close() {
        state.withLock { $0.isClosed = true }
        tail.moved.ring(partition)
    }

    /// The next batch; nil if there is nothing to return.
    private func take() async throws -> LogBatch? {
        let offset = try state.withLock { state in
            if state.isClosed { throw LogError.closed }
            return state.offset
        }
        if let start = tail.start(of: partition), offset < start { throw outOfRange(offset) }
        let batch = try await tail.view.entries(of: key, in: partition, from: offset)
        // The entries may be of the topic that replaced the reader's own.
        guard tail.rebuilds(of: partition) == rebuilds else { throw outOfRange(offset) }
        return try state.withLock { state in
            if state.isClosed { throw LogError.closed }
            if batch.entries.isEmpty && state.hasReportedEnd && !isLook { return nil }
            state.offset = batch.nextOffset
            state.hasReportedEnd = batch.isAtEnd
            return batch
        }
    }

    private func outOfRange(_ offset: Int64) -> LogError {
        .offsetOutOfRange(
            partition, requested: offset,
            bounds: OffsetBounds(start: tail.start(of: partition) ?? 0, end: tail.next(of: partition)))
    }
}
