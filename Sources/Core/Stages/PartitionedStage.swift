package import EventLog
import Synchronization

/// Runs a stage on the partitions that a group assigns to this process: one task a partition, from its assignment to
/// its revocation.
///
/// A partition fails alone: its work starts again after a growing pause, and the others go on. Only errors that concern
/// all end the whole stage: a `StageWideError`, and a dead writer that they share.
package struct PartitionedStage: Sendable {
    /// Works on one partition until it is cancelled. `LogError.closed` ends it: the follower of a lost partition may
    /// report the loss before the membership does.
    package typealias Work = @Sendable (TopicPartition, any LogMembership) async throws -> Void

    private let work: Work
    /// Called when the work on partitions has ended and before they are given back: the place for a last commit.
    private let ended: @Sendable ([TopicPartition], any LogMembership) async throws -> Void
    /// Called for each failure of one partition, with the pause before it starts again.
    private let failed: @Sendable (TopicPartition, any Error, Duration) -> Void
    private let sharesWriter: Bool
    private let progress: StageProgress?

    /// Describes a stage.
    /// - Parameters:
    ///     - sharesWriter: true if all partitions share one writer, which is dead for all if it is for one.
    ///     - progress: updated with the partitions in work, and with failures.
    ///     - failed: called for failures; the stage's owner logs and counts them.
    package init(
        sharesWriter: Bool = true, progress: StageProgress? = nil, work: @escaping Work,
        ended: @escaping @Sendable ([TopicPartition], any LogMembership) async throws -> Void,
        failed: @escaping @Sendable (TopicPartition, any Error, Duration) -> Void = { _, _, _ in }
    ) {
        self.sharesWriter = sharesWriter
        self.progress = progress
        self.work = work
        self.ended = ended
        self.failed = failed
    }

    /// Returns true if a failure concerns more than the partition that met it.
    private func concernsAll(_ error: any Error) -> Bool {
        if error is any StageWideError { return true }
        guard sharesWriter, case LogError.writeFailed = error else { return false }
        return true
    }

    /// Works as a member of a group until the task is cancelled or something fails; leaves the group in either case.
    package func run(_ membership: any LogMembership) async throws {
        let workers = Workers(concernsAll: concernsAll) { partition, error, pause in
            progress?.failed(partition, error)
            failed(partition, error, pause)
        }
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
        progress?.stopped(owned)
        // The finished work is committed on a task of its own: this one may be cancelled.
        await Task { try? await ended(owned, membership) }.value
        await membership.leave()
        try result.get()
    }

    private func follow(_ membership: any LogMembership, _ workers: Workers) async throws {
        while true {
            switch try await membership.next() {
            case .assigned(let partitions):
                for partition in partitions {
                    progress?.started(partition)
                    workers.start(partition) { try await work(partition, membership) }
                }
            case .revoked(let partitions):
                // All are cancelled before one of them is awaited.
                await workers.stop(partitions)
                progress?.stopped(partitions)
                try await ended(partitions, membership)
                try await membership.release(partitions)
            case .lost(let partitions):
                await workers.stop(partitions)
                progress?.stopped(partitions)
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

    private let concernsAll: @Sendable (any Error) -> Bool

    init(
        concernsAll: @escaping @Sendable (any Error) -> Bool,
        _ failed: @escaping @Sendable (TopicPartition, any Error, Duration) -> Void
    ) {
        self.concernsAll = concernsAll
        self.failed = failed
    }

    func start(_ partition: TopicPartition, _ work: @escaping @Sendable () async throws -> Void) {
        let task = Task {
            await persistently(failed: { self.failed(partition, $0, $1) }) {
                do {
                    try await work()
                } catch LogError.closed {
                    // The log took the partition away; the membership says so next, and the other partitions go on.
                } catch  where self.concernsAll(error) {
                    if !Task.isCancelled { self.fail(error) }
                }
            }
        }
        state.withLock { $0.tasks[partition] = task }
    }

    func stop(_ partitions: [TopicPartition]) async {
        for partition in partitions {
            state.withLock { $0.tasks[partition] }?.cancel()
        }
        // All are cancelled before one is awaited: each may have to end a write first.
        for partition in partitions {
            let task = state.withLock { $0.tasks.removeValue(forKey: partition) }
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
