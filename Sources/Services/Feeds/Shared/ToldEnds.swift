import EventLog
import Synchronization

/// Asks the log for the bounds of partitions: once for all who want to know at the same time, and after each has asked.
final class ToldEnds: Sendable {
    private typealias Answer = Result<OffsetBounds, any Error>

    private struct State {
        var isAsking = false
        /// Those whose question the next request answers.
        var waiting: [CheckedContinuation<OffsetBounds, any Error>] = []
    }

    private let log: any EventLog
    private let state = Mutex<[TopicPartition: State]>([:])

    init(_ log: any EventLog) { self.log = log }

    /// The bounds of a partition, as the log told them after the call.
    /// - Throws: `LogError`.
    func bounds(of partition: TopicPartition) async throws -> OffsetBounds {
        try await withCheckedThrowingContinuation { continuation in
            let begins = state.withLock { state in
                state[partition, default: State()].waiting.append(continuation)
                defer { state[partition]!.isAsking = true }
                return !state[partition]!.isAsking
            }
            if begins { Task { await ask(partition) } }
        }
    }

    private func ask(_ partition: TopicPartition) async {
        while true {
            let waiting = state.withLock { state in
                defer { state[partition]!.waiting = [] }
                if state[partition]!.waiting.isEmpty { state[partition]!.isAsking = false }
                return state[partition]!.waiting
            }
            if waiting.isEmpty { return }
            let answer: Answer
            do {
                guard let bounds = try await log.bounds(of: [partition])[partition] else {
                    throw LogError.unknownTopic("\(partition)")
                }
                answer = .success(bounds)
            } catch {
                answer = .failure(error)
            }
            for continuation in waiting { continuation.resume(with: answer) }
        }
    }
}
