import Dispatch
import Synchronization
import Testing

@testable import Waiting

@Suite struct SharedMutexTests {
    /// Two look at the value at the same time: each waits within for the other.
    @Test func manyLookAtTheSameTime() async {
        let shared = SharedMutex(5)
        let (first, second) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let threads = WorkerThreads(count: 2)
        async let one = threads.run { _ in
            shared.withSharedLock { value in
                first.signal()
                second.wait()
                return value
            }
        }
        async let other = threads.run { _ in
            shared.withSharedLock { value in
                second.signal()
                first.wait()
                return value
            }
        }
        #expect(await [one, other] == [5, 5])
    }

    /// A writer waits for a reader, and then is alone.
    @Test func noChangeIsLost() async {
        let shared = SharedMutex(0)
        let threads = WorkerThreads(count: 4)
        await withTaskGroup { group in
            for _ in 0..<200 {
                group.addTask {
                    await threads.run { _ in
                        shared.withLock { $0 += 1 }
                        _ = shared.withSharedLock { $0 }
                    }
                }
            }
        }
        #expect(shared.withSharedLock { $0 } == 200)
    }

    @Test func workIsDoneOnThreadsOfTheirOwn() async {
        let threads = WorkerThreads(count: 3)
        let numbers = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<50 { group.addTask { await threads.run { $0 } } }
            return await group.reduce(into: Set<Int>()) { $0.insert($1) }
        }
        #expect(numbers.isSubset(of: [0, 1, 2]) && !numbers.isEmpty)
    }
}
