import Synchronization
import Telemetry
import Testing

/// Messages that others can cause as often as they like.
@Suite struct LogPaceTests {
    @Test("a message is logged once a minute, with the number of lines that were left out")
    func pace() {
        let now = Mutex(ContinuousClock.now)
        let pace = LogPace(clock: { now.withLock { $0 } })
        func move(by duration: Duration) { now.withLock { $0 += duration } }
        #expect(pace.next() == 0)
        for _ in 0..<3000 { #expect(pace.next() == nil) }
        move(by: .seconds(59))
        #expect(pace.next() == nil)
        move(by: .seconds(1))
        #expect(pace.next() == 3001)
        #expect(pace.next() == nil)
        move(by: .seconds(3600))
        #expect(pace.next() == 1)
        move(by: .seconds(60))
        #expect(pace.next() == 0)
    }

    @Test("callers at the same moment write one line")
    func atOnce() async {
        let pace = LogPace()
        let lines = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<100 { group.addTask { pace.next() == nil ? 0 : 1 } }
            return await group.reduce(0, +)
        }
        #expect(lines == 1)
    }
}
