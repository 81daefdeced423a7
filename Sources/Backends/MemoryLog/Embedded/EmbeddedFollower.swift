package import EventLog
import Synchronization
import Waiting

/// Follows a partition of an embedded log.
package final class EmbeddedFollower: LogFollower {
    private let partition: TopicPartition
    private let storage: any EmbeddedStorage
    /// True for a look, which reports the end each time and reads little ahead.
    private let isLook: Bool
    private let state: Mutex<State>

    private struct State {
        var offset: Int64
        var hasReportedEnd = false
        var isClosed = false
    }

    /// Begins at an offset, which need not exist yet.
    package init(_ partition: TopicPartition, from offset: Int64, storage: any EmbeddedStorage, isLook: Bool = false) {
        self.isLook = isLook
        self.partition = partition
        self.storage = storage
        state = Mutex(State(offset: offset))
    }

    package func next() async throws -> LogBatch {
        try await storage.bell.wait(for: partition) { try await take() }
    }

    package func close() {
        state.withLock { $0.isClosed = true }
        storage.bell.ring(partition)
    }

    /// The next batch; nil if there is nothing to return.
    private func take() async throws -> LogBatch? {
        let offset = try state.withLock { state in
            if state.isClosed { throw LogError.closed }
            return state.offset
        }
        let batch = try await storage.read(partition, from: offset, isLook: isLook)
        return try state.withLock { state in
            if state.isClosed { throw LogError.closed }
            if batch.entries.isEmpty && state.hasReportedEnd && !isLook { return nil }
            state.offset = batch.nextOffset
            state.hasReportedEnd = batch.isAtEnd
            return batch
        }
    }
}
