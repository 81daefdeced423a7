/// A check before each start of a stage, and while it runs: that store, log and topics still belong together. The
/// composition passes it; tests of a single stage need none.
package struct StartCheck: Sendable {
    /// Passes always.
    package static let none = StartCheck {}

    private let check: @Sendable () async throws -> Void
    private let pause: (@Sendable () async throws -> Void)?

    /// - Parameters:
    ///   - pause: waits until the check is made again while a stage runs; nil makes it at starts only.
    ///   - check: throws when the stage must not work; it is made again after the stage's pause.
    package init(
        pause: (@Sendable () async throws -> Void)? = nil, _ check: @escaping @Sendable () async throws -> Void
    ) {
        self.pause = pause
        self.check = check
    }

    /// Returns when the stage may start.
    /// - Throws: the difference that has to be repaired first.
    package func pass() async throws { try await check() }

    /// Works once the check has passed, and makes the check again while the work runs.
    /// - Throws: the difference, at the start or after the work was cancelled for it; the errors of the work.
    package func around(_ work: @escaping @Sendable () async throws -> Void) async throws {
        try await check()
        guard let pause else { return try await work() }
        try await withThrowingTaskGroup(of: Void.self) { group in
            defer { group.cancelAll() }
            group.addTask { try await work() }
            group.addTask { try await checkRepeatedly(pause) }
            try await group.next()
        }
    }

    /// A log that cannot be asked now is the work's concern: only a `StageWideError` ends it.
    private func checkRepeatedly(_ pause: @Sendable () async throws -> Void) async throws {
        while true {
            try await pause()
            do { try await check() } catch let error as any StageWideError { throw error } catch {
                try Task.checkCancellation()
            }
        }
    }
}
