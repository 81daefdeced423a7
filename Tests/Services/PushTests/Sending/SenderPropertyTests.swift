import CloudModel
import TestSupport
import Testing

@testable import Push

/// Random histories of arrivals, answers, commits and crashes. The oracle looks at the arrivals and at the pushes that
/// the provider was handed, and knows nothing of how a sender decides.
@Suite struct SenderPropertyTests {
    private struct Arrival {
        var destination: PushDestination
        var isVisible: Bool
        var isMark: Bool
    }

    private static func outcome(_ random: inout SeededGenerator) -> (outcome: PushOutcome?, after: Int64) {
        let failure = PushFailure(reason: "f")
        let outcome: PushOutcome =
            switch Int.random(in: 0..<12, using: &random) {
            case 0: .failed(failure, .atOnce)
            case 1, 2: .failed(failure, .line(after: nil))
            case 3: .failed(failure, .line(after: .milliseconds(Int64.random(in: 0...3000, using: &random))))
            case 4: .failed(failure, .address(after: nil))
            case 5: .tooLarge(failure)
            case 6: .misconfigured(failure)
            default: .taken
            }
        return (outcome, Int64.random(in: 0...400, using: &random))
    }

    private static func arrivals(_ random: inout SeededGenerator) -> [Arrival] {
        let destinations = (0..<6).map { SenderWorld.device("d\($0)", $0 % 2 == 0 ? .apns : .webPush) }
        return (0..<Int.random(in: 20...150, using: &random)).map { _ in
            Arrival(
                destination: destinations.randomElement(using: &random)!,
                isVisible: Int.random(in: 0..<3, using: &random) > 0,
                isMark: Int.random(in: 0..<4, using: &random) == 0)
        }
    }

    @Test("each device gets its pushes in order, one at a time, and the newest visible one at last", arguments: 1...200)
    func histories(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let arrivals = Self.arrivals(&random)
        var world = try SenderWorld(contentBytesMax: Bool.random(using: &random) ? 500 : 1 << 20)
        var answers = random
        let calm = world.now + 60_000
        world.provider = { _, now in now > calm ? (.taken, 5) : Self.outcome(&answers) }
        world.line = { "host\($0.kind)" }
        let isBrowser = Bool.random(using: &random)
        world.takesNoSilent = { isBrowser && $0.kind == .webPush }
        let crashes = Int.random(in: 0...3, using: &random)
        var crashesLeft = crashes
        var next = 0
        var lives: [Int] = []
        var allowed: [Set<String>] = []
        var settledBefore = 0
        while next < arrivals.count || crashesLeft > 0 {
            if next < arrivals.count {
                for _ in 0..<Int.random(in: 0...5, using: &random) where next < arrivals.count {
                    let (isVisible, isMark) = (arrivals[next].isVisible, arrivals[next].isMark)
                    world.arrive(
                        Int64(next), for: arrivals[next].destination, isVisible: isVisible,
                        badge: isMark && isVisible ? Int64(next) : nil, isMark: isMark,
                        read: isMark && !isVisible ? [Int64(next)] : [])
                    next += 1
                }
            }
            world.pass(.milliseconds(Int64.random(in: 0...1500, using: &random)), commits: false)
            if Bool.random(using: &random) {
                world.commit()
                settledBefore = world.settled.count
            }
            if crashesLeft > 0, next == arrivals.count || Int.random(in: 0..<12, using: &random) == 0 {
                crashesLeft -= 1
                lives.append(world.sent.count)
                allowed.append(
                    Set(
                        world.settled[settledBefore...].map { "\($0.destination) \($0.number)" }
                            + world.inFlight.map { "\($0.0) \($0.1)" }))
                next = Int(try world.crash())
                settledBefore = world.settled.count
            }
        }
        world.pass(.seconds(2000), step: 1000)
        try check(world, arrivals, lives, allowed, seed)
        if isBrowser { checkMarks(&world, arrivals, seed) }
    }

    /// A further push to each browser has the marks that were not sent.
    private func checkMarks(_ world: inout SenderWorld, _ arrivals: [Arrival], _ seed: UInt64) {
        let browsers = Dictionary(grouping: arrivals.indices) { arrivals[$0].destination }.filter {
            $0.key.kind == .webPush
        }
        for (number, destination) in browsers.keys.enumerated() {
            world.arrive(Int64(arrivals.count + number), for: destination)
        }
        world.pass(.seconds(100), step: 1000)
        for (destination, own) in browsers {
            let accepted = world.sent.filter { $0.destination == destination && $0.isAccepted }
            let marks = own.filter { arrivals[$0].isMark }
            let read = marks.filter { !arrivals[$0].isVisible }.map(Int64.init).suffix(Limits.pushedReadMarksMax)
            #expect(Set(read).isSubset(of: accepted.flatMap(\.read)), "seed \(seed): marks of \(destination)")
            let badge = marks.last { arrivals[$0].isVisible }.map { Int64($0) }
            #expect(accepted.compactMap(\.badge).last == badge, "seed \(seed): badge of \(destination)")
            #expect(accepted.allSatisfy { !$0.isMark && !$0.isSilent }, "seed \(seed): \(destination)")
        }
    }

    private func check(
        _ world: SenderWorld, _ arrivals: [Arrival], _ lives: [Int], _ allowed: [Set<String>], _ seed: UInt64
    ) throws {
        for (destination, own) in Dictionary(grouping: arrivals.indices, by: { arrivals[$0].destination }) {
            let notifications = own.filter { !arrivals[$0].isMark }
            let newest = notifications.last { arrivals[$0].isVisible } ?? notifications.last ?? -1
            let sent = world.sent.enumerated().filter { $0.element.destination == destination }
            let settled = world.settled.filter { $0.destination == destination }
            #expect(
                newest < 0
                    || sent.contains {
                        $0.element.isAccepted && !$0.element.isMark && $0.element.number >= Int64(newest)
                    } || settled.contains { $0.merged > 0 && $0.number >= Int64(newest) },
                "seed \(seed): \(destination) lacks \(newest)")
            if settled.allSatisfy({ $0.verdict == "sent" }) {
                let accepted = sent.filter(\.element.isAccepted)
                let badge = own.last { arrivals[$0].isMark && arrivals[$0].isVisible }.map { Int64($0) }
                #expect(accepted.compactMap(\.element.badge).last == badge, "seed \(seed): badge of \(destination)")
                let read = own.last { arrivals[$0].isMark && !arrivals[$0].isVisible }.map { Int64($0) }
                #expect(accepted.flatMap(\.element.read).max() == read, "seed \(seed): IDs for \(destination)")
            }
            for (first, last) in zip([0] + lives, lives + [world.sent.count]) {
                let numbers = sent.filter { (first..<last).contains($0.offset) }.map(\.element.number)
                #expect(numbers == numbers.sorted(), "seed \(seed): the order of \(destination)")
            }
            if lives.isEmpty {
                let merged = settled.reduce(0) { $0 + $1.merged }
                #expect(
                    merged == notifications.count,
                    "seed \(seed): \(destination) stands for \(merged) of \(notifications.count)")
            }
        }
        for (life, first) in lives.enumerated() {
            let accepted = Set(
                world.sent[..<first].filter(\.isAccepted).map { "\($0.destination) \($0.number)" })
            let last = life + 1 < lives.count ? lives[life + 1] : world.sent.count
            let repeated = Set(world.sent[first..<last].map { "\($0.destination) \($0.number)" })
                .intersection(accepted)
            let all = allowed[...life].reduce(Set<String>()) { $0.union($1) }
            #expect(repeated.isSubset(of: all), "seed \(seed): repeats \(repeated.subtracting(all))")
        }
    }

    @Test(
        "a provider that is away for 30 minutes at 100 pushes a second: bounded, and within a minute each device's newest"
    )
    func outage() throws {
        let limit = 100_000
        var world = try SenderWorld(contentBytesMax: limit)
        let back = world.now + 1_800_000
        world.provider = { _, now in
            now < back ? (.failed(PushFailure(reason: "unreachable"), .line(after: nil)), 50) : (.taken, 5)
        }
        let devices = 2000
        var number: Int64 = 0
        var most = 0
        var newest: [PushDestination: Int64] = [:]
        world.pass(.seconds(1800), step: 200, user: { $0.device.rawValue }) { world in
            for _ in 0..<20 {
                number += 1
                let destination = SenderWorld.device("d\(number % Int64(devices))")
                let isVisible = number % 3 > 0
                world.arrive(number, for: destination, isVisible: isVisible)
                if isVisible { newest[destination] = number }
            }
            most = max(most, world.state.contentBytes)
        }
        #expect(most < limit + 20_000 && world.state.placeCount <= devices)
        // The circuit let little through meanwhile: probes, and the failures before it opened.
        #expect(world.sent.count < 1000)
        let before = world.sent.count
        world.pass(.seconds(60), step: 200, user: { $0.device.rawValue })
        let first = world.sent[before...].filter(\.isAccepted)
        var got: [PushDestination: Int64] = [:]
        for push in first { got[push.destination] = push.number }
        #expect(got == newest)
        #expect(world.settled.reduce(0) { $0 + $1.merged } == Int(number))
        #expect(world.state.contentBytes == 0)
    }
}
