extension Task where Success == Never, Failure == Never {
    /// Does work in a task of its own, which is cancelled with this one, and waits for its end.
    ///
    /// A task keeps the memory of its deepest calls until it ends. Whoever is going to wait for long has what is deep done apart, and holds
    /// little meanwhile.
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
