import Foundation

/// Does one thing after the other.
actor SyncLine {
    private var last: Task<Void, any Error>?
    /// The things that are being done, or wait for it.
    private var waiting: [Int: Task<Void, any Error>] = [:]
    private var count = 0
    private nonisolated let following = Collected<Task<Void, Never>?>(nil)

    deinit { following.value?.cancel() }

    nonisolated func keep(_ task: Task<Void, Never>) { following.update { $0 = task } }

    func run(_ work: @escaping @Sendable () async throws -> Void) async throws {
        let previous = last
        let task = Task {
            _ = await previous?.result
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

    /// Ends all that is being done or waits.
    func cancel() async {
        for task in waiting.values { task.cancel() }
        _ = await last?.result
    }
}
