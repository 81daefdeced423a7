import EventLog
import KafkaClient
import Synchronization

/// The entries that a client has read of a partition and nobody has taken yet. The client's thread fills it, one reader
/// empties it.
final class KafkaFollower: LogFollower {
    /// Entries and bytes after which the client is asked to stop for a while.
    private static let entriesMax = 4000
    private static let bytesMax = 8 << 20
    /// As above for looks, which may be idle with batches that were read ahead.
    private static let lookBytesMax = 2 << 20

    /// The orders that a follower gives to the client that reads for it. Called under the follower's lock, so that the
    /// client gets its orders in the order of what caused them, and none after `close`: one that came late would stop
    /// the reading of the partition's next follower.
    struct Source: Sendable {
        /// Stops reading the partition for a while.
        var pause: @Sendable () -> Void
        /// Goes on at an offset.
        var resume: @Sendable (Int64) -> Void
        /// The follower is closed.
        var close: @Sendable () -> Void
    }

    private struct State {
        var entries: [LogEntry] = []
        var bytes = 0
        var nextOffset: Int64
        var isAtEnd = false
        var isPaused = false
        var failure: Failure?
        var waiting: CheckedContinuation<Void, Never>?
        var source: Source?
    }

    private enum Failure {
        case closed
        case unknownTopic
        case outOfRange(Int64)
        case broken(String)
    }

    let partition: TopicPartition
    private let log: KafkaLog
    /// True for a look: its partition is read on beyond the end only while somebody waits.
    private let isLook: Bool
    private let state: Mutex<State>

    init(_ partition: TopicPartition, from offset: Int64, log: KafkaLog, isLook: Bool = false) {
        self.partition = partition
        self.log = log
        self.isLook = isLook
        state = Mutex(State(nextOffset: offset))
    }

    func attach(_ source: Source) { state.withLock { $0.source = source } }

    func next() async throws -> LogBatch {
        while true {
            try Task.checkCancellation()
            let (batch, failure) = state.withLock { take(&$0) }
            if let failure { throw await error(failure) }
            if let batch { return batch }
            await wait()
        }
    }

    func close() {
        wake { state in
            state.failure = .closed
            state.source.take()?.close()
        }
    }

    /// Changes the state, and wakes the reader outside of the lock: to resume a task takes a lock of the task's, which
    /// a cancellation holds while it takes this one.
    private func wake(_ change: (inout State) -> Void) {
        let waiting = state.withLock { state in
            change(&state)
            return state.waiting.take()
        }
        waiting?.resume()
    }

    // MARK: For the client's thread

    func received(_ entries: [LogEntry]) {
        wake { state in
            for entry in entries where entry.offset >= state.nextOffset {
                state.entries.append(entry)
                state.bytes += (entry.value?.count ?? 0) + (entry.key?.count ?? 0)
                state.nextOffset = entry.offset + 1
            }
            state.isAtEnd = false
            let bytesMax = isLook ? Self.lookBytesMax : Self.bytesMax
            guard !state.isPaused, state.entries.count >= Self.entriesMax || state.bytes >= bytesMax else { return }
            state.isPaused = true
            state.source?.pause()
        }
    }

    func reachedEnd(_ offset: Int64) {
        wake { state in
            guard offset >= state.nextOffset else { return }
            state.nextOffset = offset
            state.isAtEnd = true
            guard isLook, !state.isPaused else { return }
            state.isPaused = true
            state.source?.pause()
        }
    }

    func failedWithUnknownTopic() { fail(.unknownTopic) }
    func failedOutOfRange(_ offset: Int64) { fail(.outOfRange(offset)) }
    func failed(_ reason: String) { fail(.broken(reason)) }

    private func fail(_ failure: Failure) {
        wake { state in
            if state.failure == nil { state.failure = failure }
        }
    }

    /// Takes the next result: entries first, then the end, then a failure.
    private func take(_ state: inout State) -> (LogBatch?, Failure?) {
        if case .closed? = state.failure { return (nil, .closed) }
        guard !state.entries.isEmpty || state.isAtEnd else {
            if state.failure == nil { Self.resume(&state) }
            return (nil, state.failure)
        }
        let batch = LogBatch(entries: state.entries, nextOffset: state.nextOffset, isAtEnd: state.isAtEnd)
        state.entries = []
        state.bytes = 0
        state.isAtEnd = false
        if !isLook || !batch.isAtEnd { Self.resume(&state) }
        return (batch, nil)
    }

    private static func resume(_ state: inout State) {
        guard state.isPaused else { return }
        state.isPaused = false
        state.source?.resume(state.nextOffset)
    }

    private func wait() async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let mustWait = state.withLock { state in
                    guard !Task.isCancelled, state.entries.isEmpty, !state.isAtEnd, state.failure == nil else {
                        return false
                    }
                    state.waiting = continuation
                    return true
                }
                if !mustWait { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.waiting.take() }?.resume()
        }
    }

    private func error(_ failure: Failure) async -> any Error {
        switch failure {
        case .closed: return LogError.closed
        case .unknownTopic: return LogError.unknownTopic("\(partition)")
        case .broken(let reason): return LogError.broken(reason)
        case .outOfRange(let offset):
            do {
                let bounds = try await log.bounds(of: [partition])[partition] ?? OffsetBounds(start: 0, end: 0)
                return LogError.offsetOutOfRange(partition, requested: offset, bounds: bounds)
            } catch {
                return error
            }
        }
    }
}

extension KafkaBatch {
    /// The messages by partition, copied out of librdkafka's memory.
    func entriesByPartition() -> [(partition: KafkaTopicPartition, entries: [LogEntry])] {
        var entries = [[LogEntry]](repeating: [], count: partitions.count)
        forEach { message in
            entries[message.partitionIndex].append(
                LogEntry(
                    offset: message.offset, timestamp: LogTimestamp(milliseconds: message.timestampMilliseconds),
                    key: message.key.map { Array($0) }, value: message.value.map { Array($0) },
                    headers: message.headers.map { LogHeader(name: $0.name, value: $0.value) }))
        }
        return zip(partitions, entries).map { ($0, $1) }
    }
}
