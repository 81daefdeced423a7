import Synchronization

/// Reads a partition by offset on the log itself. It keeps its look open between batches that follow each other.
package final class PartitionReader: EntryReader {
    private struct State {
        var follower: (any LogFollower)?
        /// The offset at which the follower goes on; nil while it is read.
        var next: Int64?
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
        let follower = try await follower(from: offset)
        do {
            while true {
                var batch = try await follower.next()
                if let key { batch.entries.removeAll { $0.key != key } }
                guard !batch.entries.isEmpty || batch.isAtEnd else { continue }
                state.withLock { $0.next = batch.nextOffset }
                return batch
            }
        } catch {
            close()
            throw error
        }
    }

    package func wait(from offset: Int64) async throws {
        let follower = try await log.follow(partition, from: offset)
        defer { close() }
        hold(follower)
        var next = offset
        while next == offset { next = try await follower.next().nextOffset }
    }

    /// A batch or a wait that is on its way throws `LogError.closed`.
    package func close() {
        let left = state.withLock { exchange(&$0, with: State()) }
        left.follower?.close()
    }

    /// The look that goes on at an offset, or a new one.
    private func follower(from offset: Int64) async throws -> any LogFollower {
        let kept = state.withLock { state in
            guard state.next == offset else { return nil as (any LogFollower)? }
            state.next = nil
            return state.follower
        }
        if let kept { return kept }
        let opened = try await log.look(partition, from: offset)
        hold(opened)
        return opened
    }

    /// Holds a follower in place of the one before.
    private func hold(_ follower: any LogFollower) {
        let left = state.withLock { exchange(&$0, with: State(follower: follower)) }
        left.follower?.close()
    }
}
