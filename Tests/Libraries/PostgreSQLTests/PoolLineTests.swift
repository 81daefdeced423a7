import Testing

@testable import PostgreSQL

@Suite("Lines of pools") struct PoolLineTests {
    private struct Failed: Error {}

    /// The admission as a text.
    private static func name(_ admission: PoolLine<Int>.Admission) -> String {
        switch admission {
        case .assigned(let worker): "worker \(worker)"
        case .waiting: "waiting"
        case .refused(let error): (error as? PostgreSQLError).map { "\($0.kind)" } ?? "\(error)"
        }
    }

    @Test("work waits for the first connection, in order, and goes to the connection that worked last")
    func order() {
        var line = PoolLine<Int>(workers: 2, waitersMaximum: 10)
        for work in 1...3 { #expect(Self.name(line.submit(work)) == "waiting") }
        line.connected()
        #expect(line.next(0) == 1 && line.next(0) == 2 && line.next(1) == 3)
        #expect(line.openCount == 2 && line.waitingCount == 0)
        #expect(line.next(0) == nil && line.next(1) == nil)
        #expect(Self.name(line.submit(4)) == "worker 1")
        #expect(Self.name(line.submit(5)) == "worker 0")
        #expect(Self.name(line.submit(6)) == "waiting")
        #expect(line.withdraw { $0 == 6 } == 6 && line.withdraw { $0 == 6 } == nil && line.next(0) == nil)
    }

    @Test("more than may wait are refused, but not work that was taken before")
    func bounded() {
        var line = PoolLine<Int>(workers: 1, waitersMaximum: 2)
        for work in 1...2 { #expect(Self.name(line.submit(work)) == "waiting") }
        #expect(Self.name(line.submit(3)) == "busy")
        #expect(Self.name(line.submit(4, isFirst: true)) == "waiting")
        #expect(line.next(0) == 4 && line.next(0) == 1)
    }

    @Test("work is refused with the last error while no connection is open or tried")
    func outage() {
        var line = PoolLine<Int>(workers: 2, waitersMaximum: 10)
        _ = line.submit(1)
        #expect(line.failed(0, Failed()).isEmpty, "the other one is tried")
        #expect(Self.name(line.submit(2)) == "waiting" && line.outage is Failed)
        #expect(line.failed(1, Failed()) == [1, 2])
        #expect(Self.name(line.submit(3)) == "Failed()")
        line.connecting(0)
        #expect(Self.name(line.submit(4)) == "waiting")
        line.connected()
        #expect(line.next(0) == 4 && line.outage == nil)
        line.connecting(0)
        #expect(Self.name(line.submit(5)) == "waiting", "a lost connection is tried again before anybody is refused")
    }

    @Test("a closed line refuses all, and names the idle connections")
    func closed() {
        var line = PoolLine<Int>(workers: 2, waitersMaximum: 10)
        #expect(line.next(1) == nil)
        _ = line.submit(1)
        _ = line.submit(2)
        #expect(line.next(0) == 2 && line.next(1) == nil)
        let (refused, idle) = line.close()
        #expect(refused.isEmpty && idle == [1])
        #expect(Self.name(line.submit(3)) == "closed" && line.next(0) == nil)
    }

    @Test("pauses double up to their limit, and differ")
    func pauses() {
        let size = PostgreSQLPoolConfiguration(connections: 1, pause: .milliseconds(50), pauseMaximum: .seconds(2))
        let longest = (0...8).map { size.pause(after: $0, random: 1) }
        #expect(longest == [0, 50, 100, 200, 400, 800, 1600, 2000, 2000].map { .milliseconds($0) })
        #expect(size.pause(after: 2, random: 0) == .milliseconds(50))
        #expect(size.pause(after: 1_000_000, random: 1) == .seconds(2))
    }
}
