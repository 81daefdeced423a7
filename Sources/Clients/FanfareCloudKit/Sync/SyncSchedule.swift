import Timing

/// The sends of an engine that syncs by itself: one at a time, with a pause after each that failed. A delegate that
/// adds a failed change again at once has it sent after that pause.
actor SyncSchedule {
    private var backoff = SyncBackoff()
    private var task: Task<Void, Never>?
    private var isWanted = false

    deinit { task?.cancel() }

    /// Asks for a send, now or after the running one.
    /// - Parameters:
    ///   - send: sends the pending changes.
    ///   - hasPending: true if there is more to send after a failure.
    func request(_ send: @escaping @Sendable () async throws -> Void, hasPending: @escaping @Sendable () -> Bool) {
        isWanted = true
        guard task == nil else { return }
        task = Task { [weak self] in
            while let pause = await self?.next(send, hasPending) {
                if pause > .zero { guard (try? await Time.sleep(for: pause)) != nil else { return } }
            }
        }
    }

    /// Sends once.
    /// - Returns: the pause before the next send; nil if none is wanted.
    private func next(_ send: () async throws -> Void, _ hasPending: () -> Bool) async -> Duration? {
        guard isWanted else {
            task = nil
            return nil
        }
        isWanted = false
        do {
            try await send()
            backoff.reset()
            return .zero
        } catch {
            isWanted = isWanted || hasPending()
            var generator = SystemRandomNumberGenerator()
            return backoff.pause(after: CKError(error), using: &generator)
        }
    }
}
