import Dispatch
import Synchronization
import TestSupport
import Testing

@testable import Waiting

/// Threads whose work has keys.
@Suite(.hangGuard) struct WorkerThreadsTests {
    /// Submits work while the one thread is busy; the keys in the order in which their work began.
    private func order(_ work: [(key: String, cost: Int)]) async -> [String] {
        let threads = WorkerThreads(count: 1)
        let began = Mutex<[String]>([])
        let goOn = DispatchSemaphore(value: 0)
        threads.submit(for: "first") { goOn.wait() }
        for (key, cost) in work { threads.submit(for: key, cost: cost) { began.withLock { $0.append(key) } } }
        // The last in line, by a key of its own that had its turn.
        let done = Task { await threads.run(for: "last", cost: .max / 4) { _ in } }
        goOn.signal()
        await done.value
        while began.withLock({ $0.count }) < work.count { await threads.run(for: "last") { _ in } }
        return began.withLock { $0 }
    }

    @Test("dear work of one key waits for its next turn, and lets work of others begin")
    func turns() async {
        let turn = WorkerThreads.turnCost
        #expect(
            await order([("a", 4 * turn), ("a", 4 * turn), ("a", 4 * turn), ("b", 1), ("c", 1), ("b", 1)])
                == ["a", "b", "b", "c", "a", "a"])
    }

    @Test("work of one key begins in the order of asking, and cheap work of it together")
    func order() async {
        #expect(await order([("a", 1), ("b", 1), ("a", 1), ("b", 1)]) == ["a", "a", "b", "b"])
        #expect(await order([("", WorkerThreads.turnCost), ("", 1), ("a", 1)]).sorted() == ["", "", "a"])
    }
}
