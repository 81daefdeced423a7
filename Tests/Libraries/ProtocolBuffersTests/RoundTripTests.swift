import ProtocolBuffers
import Testing

@Suite struct RoundTripTests {
    @Test(arguments: UInt64(1)...40)
    func `a written message is read back, and written as the same bytes`(seed: UInt64) throws {
        var random = RandomEverything(seed: seed)
        for _ in 0..<25 {
            let message = random.message()
            let bytes = message.encoded()
            let again = try Everything(decoding: bytes)
            #expect(again == message, "seed \(seed)")
            #expect(again.encoded() == bytes, "seed \(seed)")
        }
    }

    @Test func `a message of defaults takes no bytes`() throws {
        #expect(Everything().encoded() == [])
        #expect(try Everything(decoding: []) == Everything())
    }

    @Test func `zero differs from absent`() throws {
        var message = Everything()
        message.optionalInt32 = 0
        message.optionalString = ""
        message.optionalPoint = .init()
        message.content = .number(0)
        let again = try Everything(decoding: message.encoded())
        #expect(again.optionalInt32 == 0)
        #expect(again.optionalString == "")
        #expect(again.optionalPoint == .init())
        #expect(again.content == .number(0))
        #expect(again.optionalInt64 == nil)
    }

    @Test func `bit patterns of doubles survive`() throws {
        for value in [-0.0, .nan, .signalingNaN, .infinity, Double(bitPattern: 1)] {
            let again = try Everything(decoding: Everything(doubleValue: value).encoded())
            #expect(again.doubleValue.bitPattern == value.bitPattern)
        }
    }

    @Test(arguments: [0, 1, 127, 128, 129, 16_383, 16_384, 100_000])
    func `lengths around the length's own width`(count: Int) throws {
        let name = String(repeating: "x", count: count)
        let message = Everything(
            point: .init(name: name), again: Everything(again: Everything(stringValue: name)),
            children: [.init(), .init(stringValue: name)])
        #expect(try Everything(decoding: message.encoded()) == message)
    }

    @Test func `keys of a map that Swift takes for equal stay two`() throws {
        var message = Everything()
        message.counts["\u{e9}"] = 1
        message.counts["e\u{301}"] = 2
        let again = try Everything(decoding: message.encoded())
        #expect(again.counts.count == 2)
        #expect(again.counts["\u{e9}"] == 1)
    }

    @Test func `entries of a map are written in the order of their keys`() {
        let names = ["b", "", "ab", "é", "a", "e\u{301}", "z"]
        let forward = Everything(counts: names.reduce(into: [:]) { $0[$1] = 1 })
        let backward = Everything(counts: names.reversed().reduce(into: [:]) { $0[$1] = 1 })
        #expect(forward.counts.map(\.key) == ["", "a", "ab", "b", "e\u{301}", "z", "é"])
        #expect(forward.encoded() == backward.encoded())
    }
}
