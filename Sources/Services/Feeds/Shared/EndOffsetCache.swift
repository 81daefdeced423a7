import EventLog
import Timing
import Waiting

/// Reads the bounds of partitions: one request for all callers at the same time, sent after each of them called; none
/// if a cached bound is young enough.
///
/// One request for all partitions is in flight at a time. Partitions without a fast answer, or with a failure, are
/// requested separately, so that a hanging leader does not delay the others.
final class EndOffsetCache: Sendable {
    private typealias Bounds = Result<OffsetBounds, any Error>
    private typealias Waiters = [CheckedContinuation<OffsetBounds, any Error>]

    private struct State {
        /// Those whose question the next request answers.
        var waiting: [TopicPartition: Waiters] = [:]
        /// True while partitions are asked for together.
        var isReading = false
        /// Partitions that are asked for by themselves.
        var apart: Set<TopicPartition> = []
        /// The last answers, each with the time at which it was asked for.
        var known: [TopicPartition: (bounds: OffsetBounds, readAt: ContinuousClock.Instant)] = [:]

        mutating func takeTogether() -> [TopicPartition: Waiters] {
            let taken = waiting.filter { !apart.contains($0.key) }
            for partition in taken.keys { waiting[partition] = nil }
            isReading = !taken.isEmpty
            return taken
        }

        mutating func takeApart(_ partition: TopicPartition) -> Waiters {
            let taken = waiting.removeValue(forKey: partition) ?? []
            if taken.isEmpty { apart.remove(partition) }
            return taken
        }
    }

    private let log: any EventLog
    private let patience: Duration
    private let state = BusyMutex(State())

    /// - Parameter patience: the time after which partitions are requested separately: many times the answer time of a
    ///   healthy broker.
    init(_ log: any EventLog, patience: Duration = .milliseconds(250)) {
        self.log = log
        self.patience = patience
    }

    /// Returns the bounds of a partition as of this call.
    /// - Parameter age: how long before the call they may have been read.
    /// - Throws: `LogError`.
    func bounds(of partition: TopicPartition, notOlderThan age: Duration = .zero) async throws -> OffsetBounds {
        if age > .zero, let known = state.withLock({ $0.known[partition] }), Time.now - known.readAt < age {
            return known.bounds
        }
        return try await withCheckedThrowingContinuation { continuation in
            let begins = state.withLock { state in
                state.waiting[partition, default: []].append(continuation)
                guard !state.isReading, !state.apart.contains(partition) else { return false }
                state.isReading = true
                return true
            }
            if begins { Task { await readTogether() } }
        }
    }

    private func readTogether() async {
        while true {
            let requested = state.withLock { $0.takeTogether() }
            if requested.isEmpty { return }
            let time = Time.now
            guard let found = await soon(Array(requested.keys)) else {
                state.withLock { $0.apart.formUnion(requested.keys) }
                for (partition, waiting) in requested { Task { await readApart(partition, for: waiting) } }
                continue
            }
            for (partition, waiting) in requested {
                resume(waiting, Self.bounds(found, partition), of: partition, readAt: time)
            }
        }
    }

    private func readApart(_ partition: TopicPartition, for first: Waiters) async {
        var waiting = first
        while !waiting.isEmpty {
            let time = Time.now
            let answer: Bounds
            do { answer = Self.bounds(try await log.bounds(of: [partition]), partition) } catch {
                answer = .failure(error)
            }
            resume(waiting, answer, of: partition, readAt: time)
            waiting = state.withLock { $0.takeApart(partition) }
        }
    }

    /// The bounds of partitions; nil where they could not be had within a moment.
    private func soon(_ partitions: [TopicPartition]) async -> [TopicPartition: OffsetBounds]? {
        let answer = Answer<[TopicPartition: OffsetBounds]?>()
        let question = Task { [log] in answer.give(try? await log.bounds(of: partitions)) }
        defer { question.cancel() }
        return await answer.value(within: patience) { nil }
    }

    private static func bounds(_ found: [TopicPartition: OffsetBounds], _ partition: TopicPartition) -> Bounds {
        found[partition].map { .success($0) } ?? .failure(LogError.unknownTopic("\(partition)"))
    }

    private func resume(
        _ waiters: Waiters, _ answer: Bounds, of partition: TopicPartition, readAt: ContinuousClock.Instant
    ) {
        state.withLock { $0.known[partition] = (try? answer.get()).map { ($0, readAt) } }
        for continuation in waiters { continuation.resume(with: answer) }
    }
}
