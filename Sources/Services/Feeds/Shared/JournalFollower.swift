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
    /// The number of times that the view had begun the partition anew when the reader began.
    private let beginnings: Int
    private let state: Mutex<State>

    /// - Parameter beginnings: how often the view had begun the partition anew before its view was waited for.
    init(
        _ tail: JournalTail, _ partition: TopicPartition, key: [UInt8], from offset: Int64, isLook: Bool,
        beginnings: Int
    ) {
        self.tail = tail
        self.partition = partition
        self.key = key
        self.isLook = isLook
        self.beginnings = beginnings
        state = Mutex(State(offset: offset))
    }

    func next() async throws -> LogBatch {
        // A look has something to tell in any case.
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

    /// The next batch; nil when there is nothing to tell.
    private func take() async throws -> LogBatch? {
        let offset = try state.withLock { state in
            if state.isClosed { throw LogError.closed }
            return state.offset
        }
        if let start = tail.start(of: partition), offset < start { throw outOfRange(offset) }
        let batch = try await tail.view.entries(of: key, in: partition, from: offset)
        // What was read may be of the topic that came after the reader's own.
        guard tail.beginnings(of: partition) == beginnings else { throw outOfRange(offset) }
        return try state.withLock { state in
            if state.isClosed { throw LogError.closed }
            if batch.entries.isEmpty && state.hasToldEnd && !isLook { return nil }
            state.offset = batch.nextOffset
            state.hasToldEnd = batch.isAtEnd
            return batch
        }
    }

    private func outOfRange(_ offset: Int64) -> LogError {
        .offsetOutOfRange(
            partition, requested: offset,
            bounds: OffsetBounds(start: tail.start(of: partition) ?? 0, end: tail.next(of: partition)))
    }
}
