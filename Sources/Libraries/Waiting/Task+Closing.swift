extension Task where Success == Never, Failure == Never {
    /// Runs work with something that has to be given back, and gives it back when the work has ended, also by an error.
    /// - Parameter close: gives it back; called once, on the task of the work, which may be cancelled.
    package static func closing<Value>(
        _ close: () async -> Void, after work: () async throws -> Value
    ) async rethrows -> Value {
        let value: Value
        do {
            value = try await work()
        } catch {
            await close()
            throw error
        }
        await close()
        return value
    }
}
