import EventLog
import Synchronization
import Waiting

/// Asks the log for the bounds of partitions: once for all who want to know at the same time, and after each has asked, or not at all where what
/// was told a moment ago is enough.
///
/// One question is under way for all partitions. Those of one that is not answered soon, or fails, are asked for each by itself, so that a
/// partition whose leader hangs does not hold up the others.
final class ToldEnds: Sendable {
    private typealias Told = Result<OffsetBounds, any Error>
    private typealias Askers = [CheckedContinuation<OffsetBounds, any Error>]

    private struct State {
        /// Those whose question the next request answers.
        var waiting: [TopicPartition: Askers] = [:]
        /// True while partitions are asked for together.
        var isAsking = false
        /// Partitions that are asked for by themselves.
        var apart: Set<TopicPartition> = []
        /// The last answers, each with the time at which it was asked for.
        var known: [TopicPartition: (bounds: OffsetBounds, asked: ContinuousClock.Instant)] = [:]

        mutating func takeTogether() -> [TopicPartition: Askers] {
            let taken = waiting.filter { !apart.contains($0.key) }
            for partition in taken.keys { waiting[partition] = nil }
            isAsking = !taken.isEmpty
            return taken
        }

        mutating func takeApart(_ partition: TopicPartition) -> Askers {
            let taken = waiting.removeValue(forKey: partition) ?? []
            if taken.isEmpty { apart.remove(partition) }
            return taken
        }
    }

    private let log: any EventLog
    private let patience: Duration
    private let state = Mutex(State())

    /// - Parameter patience: the time after which partitions are asked for each by itself: many times what a broker takes that is well.
    init(_ log: any EventLog, patience: Duration = .milliseconds(250)) {
        self.log = log
        self.patience = patience
    }

    /// The bounds of a partition, as the log told them after the call.
    /// - Parameter age: the time before the call at which they may have been asked for.
    /// - Throws: `LogError`.
    func bounds(of partition: TopicPartition, notOlderThan age: Duration = .zero) async throws -> OffsetBounds {
        if age > .zero, let known = state.withLock({ $0.known[partition] }), .now - known.asked < age {
            return known.bounds
        }
        return try await withCheckedThrowingContinuation { continuation in
            let begins = state.withLock { state in
                state.waiting[partition, default: []].append(continuation)
                guard !state.isAsking, !state.apart.contains(partition) else { return false }
                state.isAsking = true
                return true
            }
            if begins { Task { await askTogether() } }
        }
    }

    private func askTogether() async {
        while true {
            let asked = state.withLock { $0.takeTogether() }
            if asked.isEmpty { return }
            let time = ContinuousClock.now
            guard let found = await soon(Array(asked.keys)) else {
                state.withLock { $0.apart.formUnion(asked.keys) }
                for (partition, waiting) in asked { Task { await askApart(partition, for: waiting) } }
                continue
            }
            for (partition, waiting) in asked { tell(waiting, Self.told(found, partition), of: partition, asked: time) }
        }
    }

    private func askApart(_ partition: TopicPartition, for first: Askers) async {
        var waiting = first
        while !waiting.isEmpty {
            let time = ContinuousClock.now
            let told: Told
            do { told = Self.told(try await log.bounds(of: [partition]), partition) } catch { told = .failure(error) }
            tell(waiting, told, of: partition, asked: time)
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

    private static func told(_ found: [TopicPartition: OffsetBounds], _ partition: TopicPartition) -> Told {
        found[partition].map { .success($0) } ?? .failure(LogError.unknownTopic("\(partition)"))
    }

    private func tell(_ askers: Askers, _ told: Told, of partition: TopicPartition, asked: ContinuousClock.Instant) {
        state.withLock { $0.known[partition] = (try? told.get()).map { ($0, asked) } }
        for continuation in askers { continuation.resume(with: told) }
    }
}
