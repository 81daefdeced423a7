import Testing
import Waiting

@Suite struct BusyMutexTests {
    @Test("of many threads' changes none is lost")
    func changes() async {
        let busy = BusyMutex([Int: Int]())
        let threads = WorkerThreads(count: 4)
        await withTaskGroup { group in
            for number in 0..<40 {
                group.addTask {
                    await threads.run { _ in
                        for _ in 0..<500 { busy.withLock { $0[number % 2, default: 0] += 1 } }
                    }
                }
            }
        }
        #expect(busy.withLock { $0 } == [0: 10_000, 1: 10_000])
    }

    @Test("it is free again after an error")
    func errors() throws {
        struct Refused: Error {}
        let busy = BusyMutex(1)
        #expect(throws: Refused.self) {
            try busy.withLock { value in
                value = 2
                throw Refused()
            }
        }
        #expect(busy.withLock { $0 } == 2)
    }
}
