import CloudModel
import Testing

@testable import Push

/// Turns, budgets and circuits of lines.
@Suite struct SendLinesTests {
    private func ticket(_ number: Int, user: String, line: String = "a", credential: String = "k") -> SendLines.Ticket {
        SendLines.Ticket(
            owner: 1, destination: SenderWorld.device("d\(number)"), user: UserRecordName(trusted: user),
            queue: .init(kind: .apns, line: line, credential: credential))
    }

    private func time(_ milliseconds: Int64) -> Timestamp { Timestamp(milliseconds: milliseconds) }

    @Test("users of a line take turns, also when one of them came first with many")
    func turns() {
        var lines = SendLines(budget: .init(queue: 6, user: 4, all: 100))
        for number in 0..<50 { lines.append(ticket(number, user: "busy")) }
        for number in 50..<52 { lines.append(ticket(number, user: "calm")) }
        var taken: [SendLines.Ticket] = []
        while let next = lines.next(at: time(0)) { taken.append(next) }
        #expect(taken.map(\.user.rawValue) == ["busy", "calm", "busy", "calm", "busy", "busy"])
        lines.finish(taken[1], .answered, at: time(0), jitter: 1)
        // The busy user has its budget in flight.
        #expect(lines.next(at: time(0)) == nil)
        lines.finish(taken[0], .answered, at: time(0), jitter: 1)
        #expect(lines.next(at: time(0))?.user.rawValue == "busy")
    }

    @Test("a line that never answers keeps its budget, and delays no other")
    func neverAnswers() throws {
        var world = try SenderWorld(budget: .init(queue: 20, user: 20, all: 4000))
        world.line = { $0.device.rawValue.hasPrefix("dead") ? "dead" : "alive" }
        world.provider = { push, _ in push.destination.device.rawValue.hasPrefix("dead") ? (nil, 0) : (.taken, 5) }
        for number in 1...1000 {
            let name = number % 2 == 0 ? "alive\(number)" : "dead\(number)"
            world.arrive(Int64(number), for: SenderWorld.device(name))
        }
        world.pass(.seconds(10))
        #expect(world.settled.count == 500 && world.inFlight.count == 20)
    }

    @Test("twenty failures in a row open a circuit; one probe goes through at a time, after pauses that double")
    func circuit() {
        var lines = SendLines()
        for number in 0..<200 { lines.append(ticket(number, user: "u\(number)")) }
        lines.append(ticket(500, user: "other", line: "b"))
        var passed: [Int64] = []
        var others = 0
        for now in stride(from: Int64(0), to: 40_000, by: 500) {
            var taken: [SendLines.Ticket] = []
            while let next = lines.next(at: time(now)) { taken.append(next) }
            for ticket in taken {
                let isOther = ticket.queue.line == "b"
                lines.finish(ticket, isOther ? .answered : .failed(wish: nil), at: time(now), jitter: 1)
                if isOther { others += 1 } else { passed.append(now) }
                lines.append(ticket)
            }
        }
        #expect(others == 80)
        #expect(passed.count { $0 == 0 } == 200 && passed.filter { $0 > 0 } == [1000, 3000, 7000, 15_000, 31_000])
    }

    @Test("a success closes a circuit, failures before it do not count, and a provider's wish is the pause")
    func closing() {
        var circuit = Circuit.ofLine
        for _ in 0..<19 { circuit.fail(at: time(0), wish: nil, jitter: 1) }
        circuit.succeed()
        for _ in 0..<19 { circuit.fail(at: time(0), wish: nil, jitter: 1) }
        #expect(!circuit.isOpen)
        circuit.fail(at: time(0), wish: .seconds(100), jitter: 1)
        #expect(circuit.isOpen && !circuit.admits(at: time(99_999)) && circuit.admits(at: time(100_000)))
        circuit.pass()
        #expect(!circuit.admits(at: time(200_000)))
        circuit.give(back: time(200_000))
        #expect(circuit.admits(at: time(200_000)))
        circuit.pass()
        circuit.succeed()
        #expect(!circuit.isOpen && circuit.isNew)
        circuit.trip(at: time(0))
        #expect(circuit.isOpen && circuit.admits(at: time(1000)))
        for _ in 0..<30 {
            circuit.pass()
            circuit.fail(at: time(0), wish: nil, jitter: 1)
        }
        #expect(circuit.next == time(30_000))
    }

    @Test("a refused credential stops its own pushes alone, and is probed every minute")
    func credential() throws {
        var lines = SendLines()
        for number in 0..<50 {
            lines.append(ticket(number, user: "u\(number)", credential: "wrong"))
            lines.append(ticket(100 + number, user: "u\(number)", credential: "right"))
        }
        var refused: [Int64] = []
        var sent = 0
        for now in stride(from: Int64(0), to: 200_000, by: 1000) {
            while let next = lines.next(at: time(now)) {
                let isWrong = next.queue.credential == "wrong"
                if isWrong { refused.append(now) } else { sent += 1 }
                lines.finish(next, isWrong ? .refused : .answered, at: time(now), jitter: 0.5)
            }
        }
        #expect(sent == 50 && refused == [0, 60_000, 120_000, 180_000])
    }

    @Test("queues whose circuit is open, or whose users have all in flight, cost nothing until that changes")
    func idleQueues() {
        var lines = SendLines(
            budget: .init(
                queue: 1, user: 1, all: 100_000, kind: 100_000,
                lines: .init(all: 100_000, unproven: 100_000, failing: 100_000)))
        let (dead, full) = (2000, 2000)
        var probed: [SendLines.Ticket] = []
        for number in 0..<dead {
            for push in 0..<30 { lines.append(ticket(number * 100 + push, user: "u\(push)", line: "dead\(number)")) }
        }
        for _ in 0..<20 {
            while let next = lines.next(at: time(0)) { probed.append(next) }
            for ticket in probed { lines.finish(ticket, .failed(wish: nil), at: time(0), jitter: 1) }
            probed = []
        }
        #expect(lines.next(at: time(0)) == nil)
        for number in 0..<full {
            for push in 0..<2 { lines.append(ticket(number * 100 + push, user: "u", line: "full\(number)")) }
        }
        while lines.next(at: time(0)) != nil {}
        let before = lines.looks
        lines.append(ticket(1, user: "v", line: "good"))
        for _ in 0..<1000 {
            guard let next = lines.next(at: time(500)) else { break }
            lines.finish(next, .answered, at: time(500), jitter: 1)
            lines.append(next)
        }
        #expect(lines.looks - before <= 1001, "\(lines.looks - before) queues were looked at")
        // Each dead line has one probe, at its time.
        while let next = lines.next(at: time(1000)) { if next.queue.line != "good" { probed.append(next) } }
        #expect(Set(probed.map(\.queue.line)).count == dead && probed.count == dead)
        #expect(lines.nextProbe(after: time(1000)) == nil)
    }

    @Test("hosts of a kind that never answer leave places for other kinds")
    func kinds() {
        var lines = SendLines(budget: .init(queue: 10, user: 10, all: 60, kind: 25))
        func ticket(_ number: Int, _ kind: CourierKind) -> SendLines.Ticket {
            SendLines.Ticket(
                owner: 1, destination: SenderWorld.device("d\(number)", kind),
                user: UserRecordName(trusted: "u\(number)"),
                queue: .init(kind: kind, line: "host\(number % 20)", credential: ""))
        }
        for number in 0..<2000 {
            for kind in [CourierKind.webhook, .webPush] { lines.append(ticket(number, kind)) }
        }
        var taken: [SendLines.Ticket] = []
        while let next = lines.next(at: time(0)) { taken.append(next) }
        #expect(taken.count == 50 && taken.count { $0.queue.kind == .webhook } == 25)
        for number in 0..<10 { lines.append(ticket(number, .apns)) }
        while let next = lines.next(at: time(0)) { taken.append(next) }
        #expect(taken.count { $0.queue.kind == .apns } == 10)
        // A place that becomes free goes to the next host in turn, without a look at all the others.
        var later: [SendLines.Ticket] = []
        let before = lines.looks
        for ended in taken.filter({ $0.queue.kind == .webhook }) {
            lines.finish(ended, .answered, at: time(0), jitter: 1)
            let (next, another) = (lines.next(at: time(0)), lines.next(at: time(0)))
            #expect(next?.queue.kind == .webhook && another == nil)
            if let next { later.append(next) }
        }
        #expect(lines.looks - before <= 50)
        #expect(Set(later.map(\.queue.line)).count == 20, "hosts take turns")
        // Also where the next one in turn waits for a probe.
        for _ in 0..<40 {
            for ended in later { lines.finish(ended, .failed(wish: nil), at: time(0), jitter: 1) }
            later = []
            while let next = lines.next(at: time(0)) { later.append(next) }
        }
        #expect(later.isEmpty)
        while let next = lines.next(at: time(1000)) { later.append(next) }
        #expect(later.count == 20, "each host has one probe")
    }

    @Test("hosts that never answer leave places for new hosts, and both for hosts that answer")
    func hungHosts() {
        var lines = SendLines()
        let limits = lines.budget.lines
        func ticket(_ number: Int, _ host: String) -> SendLines.Ticket {
            SendLines.Ticket(
                owner: 1, destination: SenderWorld.device("d\(number)", .webhook),
                user: UserRecordName(trusted: "u\(number)"), queue: .init(kind: .webhook, line: host, credential: ""))
        }
        func start(at now: Int64) -> [SendLines.Ticket] {
            var started: [SendLines.Ticket] = []
            while let next = lines.next(at: time(now)) { started.append(next) }
            return started
        }
        for number in 0..<200 { lines.append(ticket(number, "good\(number)")) }
        for one in start(at: 0) { lines.finish(one, .answered, at: time(0), jitter: 1) }
        for one in start(at: 0) { lines.finish(one, .answered, at: time(0), jitter: 1) }
        // More hosts that do not answer than there are connections. Each is asked once while it is new.
        for number in 0..<600 { lines.append(ticket(1000 + number, "hung\(number)")) }
        var hung = start(at: 0)
        #expect(hung.count == limits.unproven)
        lines.append(ticket(0, "good0"))
        #expect(start(at: 0).map(\.queue.line) == ["good0"], "a host that answers has a place at once")
        var now: Int64 = 0
        var asked = Set(hung.map(\.queue.line))
        for _ in 0..<5 {
            now += 10_000
            for one in hung {
                lines.finish(one, .failed(wish: nil), at: time(now), jitter: 1)
                lines.append(one)
            }
            hung = start(at: now)
            asked.formUnion(hung.map(\.queue.line))
            #expect(hung.count == limits.unproven || asked.count == 600)
        }
        #expect(asked.count == 600, "each has been asked")
        now += 10_000
        for one in hung {
            lines.finish(one, .failed(wish: nil), at: time(now), jitter: 1)
            lines.append(one)
        }
        hung = start(at: now)
        #expect(hung.count == limits.failing, "all are known by now")
        for number in 0..<limits.unproven - limits.failing { lines.append(ticket(number, "new\(number)")) }
        #expect(start(at: now).count == limits.unproven - limits.failing)
        for number in 1..<200 { lines.append(ticket(number, "good\(number)")) }
        let good = start(at: now)
        #expect(good.count == limits.all - limits.unproven - 1)
        // One that is slow makes room for one that answers, and waits with those that fail.
        lines.finish(good[0], .answered, isSlow: true, at: time(now), jitter: 1)
        lines.append(good[0])
        let next = start(at: now)
        #expect(next.count == 1 && next[0].queue.line.hasPrefix("good") && next[0] != good[0])
        // The others go on as places become free.
        for one in hung { lines.finish(one, .failed(wish: nil), at: time(now), jitter: 1) }
        #expect(start(at: now).count == limits.failing)
    }

    @Test("the tickets of an owner that left are gone, and the others' turns are as before")
    func withdrawal() {
        var lines = SendLines()
        var other = ticket(1, user: "u")
        other.owner = 2
        lines.append(ticket(0, user: "u"))
        lines.append(other)
        lines.append(ticket(2, user: "v"))
        lines.withdraw(1)
        #expect(lines.next(at: time(0)) == other && lines.next(at: time(0)) == nil)
        lines.finish(other, .answered, at: time(0), jitter: 1)
        lines.append(ticket(3, user: "v"))
        #expect(lines.next(at: time(0))?.user.rawValue == "v")
    }
}
