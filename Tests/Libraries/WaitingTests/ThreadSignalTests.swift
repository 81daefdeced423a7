import Testing
import Waiting

@Suite("Signals of threads") struct ThreadSignalTests {
    @Test("signals before a wait are counted, and a wait without one ends")
    func counted() {
        let signal = ThreadSignal()
        #expect(!signal.wait(seconds: 0))
        for _ in 0..<2 { signal.signal() }
        signal.wait()
        #expect(signal.wait(seconds: 0) && !signal.wait(seconds: 0))
    }

    @Test("a signal of another thread wakes a wait")
    func woken() {
        let signal = ThreadSignal()
        DedicatedThread.start { signal.signal() }
        signal.wait()
        #expect(!signal.wait(seconds: 0))
    }
}
