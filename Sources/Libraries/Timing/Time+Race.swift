extension Time {
    /// Works for at most `limit`, then cancels the work and waits for its end.
    /// - Returns: the value of the work, also one that comes after the cancellation; nil without one.
    /// - Throws: errors of the work, `CancellationError` only if the task is cancelled.
    package static func race<Value: Sendable>(
        within limit: Duration, priority: TaskPriority? = nil,
        _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value? {
        try await withThrowingTaskGroup(of: Value?.self) { group in
            group.addTask(priority: priority) { try await work() }
            group.addTask {
                try? await sleep(for: limit)
                return nil
            }
            defer { group.cancelAll() }
            do {
                if let value = try await group.next() ?? nil { return value }
                group.cancelAll()
                return try await group.next() ?? nil
            } catch is CancellationError {
                try Task.checkCancellation()
                return nil
            }
        }
    }
}
