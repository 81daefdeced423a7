import TestSupport
import Testing

@testable import SubscriptionMatcher

/// The open table of places, beside a dictionary; hashes are few, so that they collide.
@Suite struct PlaceTableTests {
    @Test("it finds what a dictionary finds", arguments: 1...40)
    func asADictionary(seed: UInt64) {
        print("PlaceTable: seed \(seed)")
        var random = SeededGenerator(seed: seed)
        var table = PlaceTable()
        // By key its place; a key's hash is its remainder, so that many have the same, also at the end of the table.
        var known: [Int: Int] = [:]
        var keys: [Int: Int] = [:]
        let hashes = Int.random(in: 1...300, using: &random)
        func hash(_ key: Int) -> Int { -1 - key % hashes }
        for place in 0..<2000 {
            let key = Int.random(in: 0..<500, using: &random)
            if let old = known[key] {
                if Bool.random(using: &random) {
                    table.remove(old, hash(key))
                    known[key] = nil
                } else {
                    table.move(hash(key), from: old, to: place)
                    known[key] = place
                    keys[place] = key
                }
            } else {
                table.insert(place, hash(key))
                known[key] = place
                keys[place] = key
            }
            let asked = Int.random(in: 0..<500, using: &random)
            #expect(table.place(hash(asked)) { keys[$0] == asked } == known[asked], "seed \(seed)")
        }
        for key in 0..<500 { #expect(table.place(hash(key)) { keys[$0] == key } == known[key], "seed \(seed)") }
    }
}
