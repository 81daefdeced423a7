import Synchronization

/// Reads a partition by offset on the log itself. It keeps its follower open between batches that follow each other, and
/// from a wait to the batch after it.
package final class PartitionReader: EntryReader {
    private struct Open {
        /// Distinguishes followers.
        var number: Int
        var follower: any LogFollower
        /// True for a look, which reports the end each time.
        var isLook: Bool
        /// The offset at which the follower goes on, or of `pending`; nil while it is read.
        var next: Int64?
        /// The batch that ended a wait.
        var pending: LogBatch?
    }

    private struct State {
        var open: Open?
        var count = 0
        /// The calls of `close`: one that comes while a follower is opened ends its call.
        var closings = 0
    }

    package let bounds: OffsetBounds
    private let log: any EventLog
    private let partition: TopicPartition
    private let key: [UInt8]?
    private let state = Mutex(State())

    /// - Parameters:
    ///     - key: the key whose entries are read alone; nil for all keys.
    ///     - bounds: the partition's.
    package init(_ log: any EventLog, _ partition: TopicPartition, key: [UInt8]? = nil, _ bounds: OffsetBounds) {
        self.log = log
        self.partition = partition
        self.key = key
        self.bounds = bounds
    }

    deinit { close() }

    package func batch(from offset: Int64) async throws -> LogBatch {
        let open = try await open(from: offset, toWait: false)
        return try await closing(open) {
            var batch = if let pending = open.pending { pending } else { try await next(open) }
            while batch.entries.isEmpty, !batch.isAtEnd { batch = try await next(open) }
            // A follower reads ahead, and is kept for the next wait alone.
            if open.isLook || batch.isAtEnd { keep(open, at: batch.nextOffset) } else { drop(open) }
            return batch
        }
    }

    package func wait(from offset: Int64) async throws {
        let open = try await open(from: offset, toWait: true)
        try await closing(open) {
            var batch = if let pending = open.pending { pending } else { try await next(open) }
            while batch.nextOffset == offset { batch = try await next(open) }
            keep(open, at: offset, pending: batch)
        }
    }

    /// A batch or a wait that is on its way throws `LogError.closed`.
    package func close() {
        let left = state.withLock { state in
            state.closings += 1
            return state.open.take()
        }
        left?.follower.close()
    }

    /// The next batch of a follower, with the entries that are read.
    private func next(_ open: Open) async throws -> LogBatch {
        var batch = try await open.follower.next()
        if let key { batch.entries.removeAll { $0.key != key } }
        return batch
    }

    /// The follower that goes on at an offset, or a new one.
    /// - Parameter toWait: true for one that waits at the end.
    private func open(from offset: Int64, toWait: Bool) async throws -> Open {
        let (kept, left, closings) = state.withLock { state -> (Open?, Open?, Int) in
            // A look never waits, and a follower that has reported the end does.
            guard let open = state.open, open.next == offset, open.pending != nil || open.isLook != toWait else {
                return (nil, state.open.take(), state.closings)
            }
            state.open?.next = nil
            state.open?.pending = nil
            return (open, nil, state.closings)
        }
        left?.follower.close()
        if let kept { return kept }
        let follower =
            toWait
            ? try await log.follow(partition, from: offset) : try await log.look(partition, from: offset)
        let opened = state.withLock { state -> Open? in
            guard state.closings == closings else { return nil }
            state.count += 1
            state.open = Open(number: state.count, follower: follower, isLook: !toWait)
            return state.open
        }
        guard let opened else {
            follower.close()
            throw LogError.closed
        }
        return opened
    }

    /// Keeps a follower for the next call, if it was not closed meanwhile.
    private func keep(_ open: Open, at offset: Int64, pending: LogBatch? = nil) {
        state.withLock { state in
            guard state.open?.number == open.number else { return }
            state.open?.next = offset
            state.open?.pending = pending
        }
    }

    /// Closes a follower, and keeps it no longer.
    private func drop(_ open: Open) {
        open.follower.close()
        state.withLock { if $0.open?.number == open.number { $0.open = nil } }
    }

    /// Closes a follower at which reading failed.
    private func closing<Value>(_ open: Open, _ body: () async throws -> Value) async throws -> Value {
        do {
            return try await body()
        } catch {
            drop(open)
            throw error
        }
    }
}
