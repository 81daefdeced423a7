package import EventLog
import Synchronization

/// Runs a stage on the partitions that a group gives this process: one task a partition, from its assignment to its
/// revocation.
///
/// A partition fails alone: its work begins again after a pause that grows, and the others go on. Only what concerns all
/// ends the whole stage: a writer that is dead, which they share, and a partition that somebody else has taken over, of
/// which the membership does not know yet.
package struct PartitionedStage: Sendable {
    /// Works on one partition until it is cancelled. `LogError.closed` ends it: by it a lost partition's follower may tell
    /// its end before the membership does.
    package typealias Work = @Sendable (TopicPartition, any LogMembership) async throws -> Void

    private let work: Work
    /// Called when the work on partitions has ended and before they are given back: the place for a last commit.
    private let ended: @Sendable ([TopicPartition], any LogMembership) async throws -> Void
    /// Told of each failure of one partition and of the pause before it begins again.
    private let failed: @Sendable (TopicPartition, any Error, Duration) -> Void

    /// Describes a stage.
    /// - Parameter failed: whoever owns the stage logs and counts it.
    package init(
        work: @escaping Work, ended: @escaping @Sendable ([TopicPartition], any LogMembership) async throws -> Void,
        failed: @escaping @Sendable (TopicPartition, any Error, Duration) -> Void = { _, _, _ in }
    ) {
        self.work = work
        self.ended = ended
        self.failed = failed
    }

    /// Returns true if a failure concerns more than the partition that met it.
    static func concernsAll(_ error: any Error) -> Bool {
        switch error as? LogError {
        case .writeFailed, .fenced: true
        default: false
        }
    }

    /// Works as a member of a group until the task is cancelled or something fails; leaves the group in either case.
    package func run(_ membership: any LogMembership) async throws {
        let workers = Workers(failed)
        let result: Result<Void, any Error>
        do {
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await follow(membership, workers) }
                group.addTask { try await workers.failure() }
                defer { group.cancelAll() }
                try await group.next()
            }
            result = .success(())
        } catch {
            result = .failure(error)
        }
        let owned = await workers.stopAll()
        // What was done is committed on a task of its own: this one may be cancelled.
        await Task { try? await ended(owned, membership) }.value
        await membership.leave()
        try result.get()
    }

    private func follow(_ membership: any LogMembership, _ workers: Workers) async throws {
        while true {
            switch try await membership.next() {
            case .assigned(let partitions):
                for partition in partitions { workers.start(partition) { try await work(partition, membership) } }
            case .revoked(let partitions):
                await workers.stop(partitions)
                try await ended(partitions, membership)
                try await membership.release(partitions)
            case .lost(let partitions): await workers.stop(partitions)
            }
        }
    }
}

/// The tasks of a stage's partitions.
private final class Workers: Sendable {
    private struct State {
        var tasks: [TopicPartition: Task<Void, Never>] = [:]
        var failure: (any Error)?
        var waiting: CheckedContinuation<Void, any Error>?
    }

    private let state = Mutex(State())
    private let failed: @Sendable (TopicPartition, any Error, Duration) -> Void

    init(_ failed: @escaping @Sendable (TopicPartition, any Error, Duration) -> Void) { self.failed = failed }

    func start(_ partition: TopicPartition, _ work: @escaping @Sendable () async throws -> Void) {
        let task = Task {
            await persistently(failed: { self.failed(partition, $0, $1) }) {
                do {
                    try await work()
                } catch LogError.closed {
                    // The log took the partition away; the membership says so next, and the other partitions go on.
                } catch  where PartitionedStage.concernsAll(error) {
                    if !Task.isCancelled { self.fail(error) }
                }
            }
        }
        state.withLock { $0.tasks[partition] = task }
    }

    func stop(_ partitions: [TopicPartition]) async {
        for partition in partitions {
            let task = state.withLock { $0.tasks.removeValue(forKey: partition) }
            task?.cancel()
            await task?.value
        }
    }

    /// Stops all; returns the partitions that were worked on.
    func stopAll() async -> [TopicPartition] {
        let tasks = state.withLock { state in
            defer { state.tasks = [:] }
            return state.tasks
        }
        for task in tasks.values { task.cancel() }
        for task in tasks.values { await task.value }
        return tasks.keys.sorted()
    }

    /// Throws the first failure of a task; waits for it.
    func failure() async throws {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let failure = state.withLock { state -> (any Error)? in
                    if Task.isCancelled { return CancellationError() }
                    if state.failure == nil { state.waiting = continuation }
                    return state.failure
                }
                if let failure { continuation.resume(throwing: failure) }
            }
        } onCancel: {
            fail(CancellationError())
        }
    }

    private func fail(_ error: any Error) {
        let waiting = state.withLock { state in
            if state.failure == nil { state.failure = error }
            return state.waiting.take()
        }
        waiting?.resume(throwing: error)
    }
}
