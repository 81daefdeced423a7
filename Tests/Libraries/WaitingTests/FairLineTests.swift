import Testing

@testable import Waiting

/// The order in which a line lets in.
@Suite struct FairLineTests {
    private static func line(capacity: Int = 10, share: Int = 10, ofKey: Int = 100) -> FairLine<String> {
        FairLine(capacity: capacity, share: share, waitersOfKey: ofKey, waitersMaximum: 1000)
    }

    private func number(_ entry: FairLine<String>.Entry) throws -> UInt64 {
        guard case .waits(let number) = entry else { throw Unexpected(entry: entry) }
        return number
    }

    private struct Unexpected: Error { var entry: FairLine<String>.Entry }

    @Test("While there is room everybody gets in") func room() {
        var line = Self.line()
        #expect(line.enter("a", 4) == .entered)
        #expect(line.enter("b", 6) == .entered)
        #expect(line.room == 0)
        _ = line.leave("a", 4)
        #expect(line.room == 4)
    }

    @Test("A key that asked a hundred times waits behind one that asks for the first time") func fair() throws {
        var line = Self.line(capacity: 2)
        #expect(line.enter("greedy", 1) == .entered)
        #expect(line.enter("greedy", 1) == .entered)
        let waiting = try (0..<50).map { _ in try number(line.enter("greedy", 1)) }
        let victim = try number(line.enter("victim", 1))
        #expect(line.leave("greedy", 1) == [victim])
        #expect(line.leave("victim", 1) == [waiting[0]])
    }

    @Test("A request over the capacity works alone, and later ones wait") func whole() throws {
        var line = Self.line()
        #expect(line.enter("a", 3) == .entered)
        let large = try number(line.enter("b", 99))
        let small = try number(line.enter("c", 1))
        #expect(line.leave("a", 3) == [large])
        #expect(line.leave("b", 99) == [small])
        #expect(line.leave("c", 1) == [])
        #expect(line.room == 10)
    }

    @Test("A key that holds its share waits, and holds nobody up") func share() throws {
        var line = Self.line(capacity: 10, share: 4)
        #expect(line.enter("a", 3) == .entered)
        let second = try number(line.enter("a", 2))
        #expect(line.enter("b", 3) == .entered)
        #expect(line.leave("a", 3) == [second])
        // More than the share by itself: while the key holds nothing.
        #expect(line.enter("c", 5) == .entered)
    }

    @Test("As many wait as may, of one key and of all; a refused one leaves nothing behind") func bounds() throws {
        var line = FairLine<String>(capacity: 1, share: 1, waitersOfKey: 2, waitersMaximum: 3)
        #expect(line.enter("a", 1) == .entered)
        _ = try number(line.enter("a", 1))
        _ = try number(line.enter("a", 1))
        #expect(line.enter("a", 1) == .refused(.tooManyOfOne))
        let other = try number(line.enter("b", 1))
        #expect(line.enter("c", 1) == .refused(.tooMany))
        #expect(line.waitingCount == 3)
        #expect(line.withdraw("b", other) == [])
        #expect(line.withdraw("b", other) == nil)
        #expect(line.waitingCount == 2)
    }

    @Test("A request that leaves the line lets in those that it blocked") func withdrawal() throws {
        var line = Self.line()
        #expect(line.enter("a", 6) == .entered)
        let large = try number(line.enter("b", 10))
        let small = try number(line.enter("c", 4))
        #expect(line.withdraw("b", large) == [small])
    }

    @Test(
        "In any order of events, no more is taken than the capacity, and every request gets in at last",
        arguments: 0..<20 as Range<UInt64>)
    func invariants(seed: UInt64) throws {
        var random = Generator(state: seed)
        var line = Self.line(capacity: 12, share: 5, ofKey: 1000)
        var held: [(key: String, units: Int)] = []
        var waiting: [UInt64: (key: String, units: Int)] = [:]
        func admit(_ numbers: [UInt64]) throws {
            for number in numbers {
                let one = waiting.removeValue(forKey: number)
                held.append(try #require(one, "seed \(seed)"))
            }
        }
        for _ in 0..<400 {
            switch Int.random(in: 0..<5, using: &random) {
            case 0...2:
                let key = "k\(Int.random(in: 0..<6, using: &random))"
                let units = Int.random(in: 0...16, using: &random)
                switch line.enter(key, units) {
                case .entered: held.append((key, units))
                case .waits(let number): waiting[number] = (key, units)
                case .refused: break
                }
            case 3 where !held.isEmpty:
                let one = held.remove(at: Int.random(in: held.indices, using: &random))
                try admit(line.leave(one.key, one.units))
            default:
                guard let (number, one) = waiting.randomElement(using: &random) else { continue }
                waiting[number] = nil
                let admitted = line.withdraw(one.key, number)
                try admit(try #require(admitted, "seed \(seed)"))
            }
            #expect(line.room == 12 - held.map { min(12, $0.units) }.reduce(0, +), "seed \(seed)")
            #expect(line.room >= 0, "seed \(seed)")
            #expect(line.waitingCount == waiting.count, "seed \(seed)")
        }
        while let one = held.popLast() { try admit(line.leave(one.key, one.units)) }
        #expect(waiting.isEmpty, "seed \(seed)")
        #expect(line.room == 12, "seed \(seed)")
    }

    /// SplitMix64.
    private struct Generator: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state &+= 0x9e37_79b9_7f4a_7c15
            var z = state
            z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
            z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
            return z ^ (z >> 31)
        }
    }
}
