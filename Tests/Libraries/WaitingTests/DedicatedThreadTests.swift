import Foundation
import Synchronization
import Testing
import Waiting

@Suite struct DedicatedThreadTests {
    private struct Trouble: Error {}

    @Test func resultsAndErrorsReachTheCaller() async throws {
        #expect(try await DedicatedThread.run { 7 } == 7)
        await #expect(throws: Trouble.self) { try await DedicatedThread.run { throw Trouble() } }
    }

    @Test func joiningWaitsForTheEnd() {
        let hasEnded = Mutex(false)
        DedicatedThread(stackBytes: 1 << 20) { hasEnded.withLock { $0 = true } }.join()
        #expect(hasEnded.withLock { $0 })
    }

    #if os(Linux)
        @Test func aThreadHasItsName() {
            let name = Mutex("")
            DedicatedThread(named: "a-long-name-of-a-thread") {
                let comm = try? String(contentsOfFile: "/proc/thread-self/comm", encoding: .utf8)
                name.withLock { $0 = comm ?? "" }
            }.join()
            #expect(name.withLock { $0 } == "a-long-name-of-\n")
        }
    #endif
}
