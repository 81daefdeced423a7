import Foundation

/// Does one thing after the other.
actor SyncLine {
    private var last: Task<Void, any Error>?
    /// The things that are being done, or wait for it.
    private var waiting: [Int: Task<Void, any Error>] = [:]
    private var count = 0
    /// The task that does its work now.
    private var working: Int?
    private nonisolated let following = Collected<Task<Void, Never>?>(nil)

    deinit { following.value?.cancel() }

    nonisolated func keep(_ task: Task<Void, Never>) { following.update { $0 = task } }

    /// Does the work when all before it is done.
    /// - Throws: `invalidArguments` for a call within the work that is under way, which would wait for itself.
    func run(_ work: @escaping @Sendable () async throws -> Void) async throws {
        guard !isWithinWork else {
            throw CKError(
                .invalidArguments,
                "a delegate's function cannot wait for the engine, which waits for the function; call it in a Task")
        }
        let previous = last
        let task = Task {
            _ = await previous?.result
            working = Self.currentTask
            defer { working = nil }
            try await work()
        }
        last = task
        count += 1
        let number = count
        waiting[number] = task
        defer { waiting[number] = nil }
        do {
            try await withTaskCancellationHandler {
                try await task.value
            } onCancel: {
                task.cancel()
            }
        } catch { throw CKError(error) }
    }

    /// Ends all that is being done or waits. Within the work it does not wait for the end.
    func cancel() async {
        for task in waiting.values { task.cancel() }
        guard !isWithinWork else { return }
        _ = await last?.result
    }

    private var isWithinWork: Bool { working.map { $0 == Self.currentTask } ?? false }

    private static var currentTask: Int? { withUnsafeCurrentTask { $0?.hashValue } }
}
