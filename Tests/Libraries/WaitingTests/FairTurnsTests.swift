import Testing

@testable import Waiting

/// The order in which lanes are served.
@Suite struct FairTurnsTests {
    /// Takes an element and charges it.
    private func take(_ turns: inout FairTurns<String, Int>, cost: Int) -> String? {
        guard let (key, element) = turns.next() else { return nil }
        turns.charge(cost, to: key)
        return "\(key)\(element)"
    }

    private func lanes(_ counts: [(String, Int)], quantum: Int = 10) -> FairTurns<String, Int> {
        var turns = FairTurns<String, Int>(quantum: quantum)
        for (key, count) in counts { for number in 0..<count { turns.append(number, for: key) } }
        return turns
    }

    @Test("Elements of one key come in order") func order() {
        var turns = lanes([("a", 100)])
        #expect((0..<100).map { _ in take(&turns, cost: 3) } == (0..<100).map { "a\($0)" })
        #expect(take(&turns, cost: 3) == nil)
        #expect(turns.count == 0)
    }

    @Test("A key whose elements cost much waits until the others had as much") func costly() {
        var turns = lanes([("greedy", 5), ("victim", 30)])
        var taken: [String] = []
        while let (key, _) = turns.next() {
            turns.charge(key == "greedy" ? 100 : 1, to: key)
            taken.append(key)
        }
        #expect(taken.count == 35)
        // The first element of the greedy key cost as much as all of the victim's.
        #expect(Array(taken.prefix(31)) == ["greedy"] + Array(repeating: "victim", count: 30))
    }

    @Test("Keys with like elements get like shares", arguments: [1, 7, 25]) func shares(cost: Int) {
        var turns = lanes([("a", 200), ("b", 200), ("c", 200)])
        var counts: [String: Int] = [:]
        for _ in 0..<300 {
            guard let (key, _) = turns.next() else { break }
            turns.charge(cost, to: key)
            counts[key, default: 0] += 1
        }
        for count in counts.values { #expect(abs(count - 100) <= 10, "\(counts)") }
    }

    @Test("A key that was empty is not owed, and owes nothing") func idle() {
        var turns = lanes([("a", 1)])
        _ = take(&turns, cost: 1_000_000)
        for number in 1...3 { turns.append(number, for: "a") }
        turns.append(0, for: "b")
        #expect(Set((0..<4).compactMap { _ in take(&turns, cost: 1) }) == ["a1", "a2", "a3", "b0"])
    }

    @Test("All that waits can be taken at once, in the order of each key") func all() {
        var turns = lanes([("a", 3), ("b", 2)])
        _ = take(&turns, cost: 1)
        #expect(turns.removeAll().sorted() == [0, 1, 1, 2])
        #expect(turns.count == 0)
        #expect(turns.next() == nil)
    }

    /// Against a queue per key, with any costs and arrivals: nothing is lost, doubled or reordered within a key.
    @Test("Nothing is lost or reordered", arguments: 0..<50) func everything(seed: UInt64) {
        var generator = SeededNumbers(seed: seed)
        var turns = FairTurns<String, Int>(quantum: 1 + Int(generator.next() % 50))
        var expected: [String: [Int]] = [:]
        var count = 0
        func check() {
            let announced = turns.nextKey()
            guard let (key, element) = turns.next() else {
                #expect(count == 0 && announced == nil, "seed \(seed)")
                return
            }
            #expect(announced == key, "seed \(seed)")
            #expect(expected[key]?.removeFirst() == element, "seed \(seed)")
            count -= 1
            turns.charge(Int(generator.next() % 200), to: key)
        }
        for number in 0..<500 {
            if generator.next() % 3 > 0 {
                let key = "k\(generator.next() % 6)"
                turns.append(number, for: key)
                expected[key, default: []].append(number)
                count += 1
            } else {
                check()
            }
            #expect(turns.count == count, "seed \(seed)")
        }
        while count > 0 { check() }
    }
}

private struct SeededNumbers {
    var state: UInt64
    init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 | 1 }
    mutating func next() -> UInt64 {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return state
    }
}
