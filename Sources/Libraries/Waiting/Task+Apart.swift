extension Task where Success == Never, Failure == Never {
    /// Works in a task of its own, which is cancelled with this one, and waits for its end.
    ///
    /// A task keeps the memory of its deepest calls until it ends. A task that is going to wait for long runs deep
    /// calls in a task of their own, and stays small (0027).
    package static func apart<Result: Sendable>(
        _ work: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        let task = Task<Result, any Error> { try await work() }
        return try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }
}
