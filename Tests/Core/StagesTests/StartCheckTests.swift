import Stages
import Synchronization
import Testing
import Waiting

/// The check of store, log and topics ends a stage that runs, and nothing else does.
@Suite struct StartCheckTests {
    private struct Unreachable: Error {}

    private struct Difference: StageWideError {}

    private static func waitForCancellation() async throws {
        guard await Answer<Bool>().value(cancelled: { false }) else { throw CancellationError() }
    }

    /// Works until it is cancelled, and returns what ended it.
    private func end(of check: StartCheck, began: @escaping @Sendable () -> Void = {}) async -> (any Error)? {
        do {
            try await check.around {
                began()
                try await Self.waitForCancellation()
            }
            return nil
        } catch {
            return error
        }
    }

    @Test("a difference that comes up later ends the work, a log that cannot be read does not")
    func laterDifference() async throws {
        let checks = Mutex(0)
        let check = StartCheck(pause: {}) {
            let number = checks.withLock { checks in
                checks += 1
                return checks
            }
            switch number {
            case 1: break
            case 5: throw Difference()
            default: throw Unreachable()
            }
        }
        #expect(await end(of: check) is Difference)
        #expect(checks.withLock { $0 } == 5)
    }

    @Test("the work does not begin where the first check fails")
    func firstCheck() async {
        let hasBegun = Atomic(false)
        let check = StartCheck(pause: {}) { throw Difference() }
        let error = await end(of: check) { hasBegun.store(true, ordering: .relaxed) }
        #expect(error is Difference)
        let begun = hasBegun.load(ordering: .relaxed)
        #expect(!begun)
    }

    @Test("the end of the work ends the checks")
    func endOfWork() async throws {
        let check = StartCheck(pause: { try await Self.waitForCancellation() }) {}
        try await check.around {}
        await #expect(throws: Unreachable.self) { try await check.around { throw Unreachable() } }
    }
}
