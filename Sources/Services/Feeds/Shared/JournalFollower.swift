import EventLog
import Synchronization
import Waiting

/// Follows one user's journal in the process's view.
final class JournalFollower: LogFollower {
    private struct State {
        var offset: Int64
        var hasToldEnd = false
        var isClosed = false
    }

    private let tail: JournalTail
    private let partition: TopicPartition
    private let key: [UInt8]
    /// True for a look, which tells the end whenever it is asked there.
    private let isLook: Bool
    private let state: Mutex<State>

    init(_ tail: JournalTail, _ partition: TopicPartition, key: [UInt8], from offset: Int64, isLook: Bool) {
        self.tail = tail
        self.partition = partition
        self.key = key
        self.isLook = isLook
        state = Mutex(State(offset: offset))
    }

    func next() async throws -> LogBatch {
        try await tail.moved.wait(for: partition) { try await take() }
    }

    func close() {
        state.withLock { $0.isClosed = true }
        tail.moved.ring(partition)
    }

    /// The next batch; nil when there is nothing to tell.
    private func take() async throws -> LogBatch? {
        let offset = try state.withLock { state in
            if state.isClosed { throw LogError.closed }
            return state.offset
        }
        // The view is behind a reader of it only where it was begun anew: the topic is another, or an older copy of it.
        let bounds = OffsetBounds(start: tail.start(of: partition) ?? 0, end: tail.next(of: partition))
        guard bounds.start <= offset, offset <= bounds.end else {
            throw LogError.offsetOutOfRange(partition, requested: offset, bounds: bounds)
        }
        let batch = try await tail.view.entries(of: key, in: partition, from: offset)
        return try state.withLock { state in
            if state.isClosed { throw LogError.closed }
            if batch.entries.isEmpty && state.hasToldEnd && !isLook { return nil }
            state.offset = batch.nextOffset
            state.hasToldEnd = batch.isAtEnd
            return batch
        }
    }
}
