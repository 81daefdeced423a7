import CloudModel
import TestSupport
import Testing

/// The beginnings of long values, on random values.
@Suite struct ValueCutTests {
    /// Pieces whose borders are easily cut through: combining marks, joined emoji, flags, line ends, direction marks.
    private static let pieces = [
        "a", "ä", "e\u{301}", "日", "👩‍👩‍👧‍👦", "🇩🇪", "\r\n", "\u{202E}", "\0", "नि", "🏳️‍🌈", "x\u{200D}", "\u{301}",
    ]

    private static func text(_ generator: inout SeededGenerator, pieces count: Int) -> String {
        (0..<count).map { _ in pieces.randomElement(using: &generator) ?? "" }.joined()
    }

    private static func value(_ generator: inout SeededGenerator) -> FieldValue {
        let count = Int.random(in: 0..<60, using: &generator)
        func number() -> Int64 { Int64.random(in: .min ... .max, using: &generator) }
        switch Int.random(in: 0..<9, using: &generator) {
        case 0, 1: return .string(text(&generator, pieces: count))
        case 2: return .bytes((0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) })
        case 3:
            return .stringList(
                (0..<count).map { _ in text(&generator, pieces: Int.random(in: 0..<9, using: &generator)) })
        case 4: return .list((0..<count).map { _ in .int64(number()) }, of: .int64)
        case 5: return .encrypted(.open(.string(text(&generator, pieces: count))))
        case 6:
            return .list((0..<count).map { _ in .bytes(Array(repeating: 1, count: count)) }, of: .bytes)
        case 7:
            let times = (0..<count).map { Timestamp(milliseconds: Int64($0) * 1000 + 978_307_200_000) }
            return .encrypted(
                EncryptedValue(
                    .list(times.map { .timestamp($0) }, of: .timestamp), seconds: times.indices.map(Double.init))
                    ?? .open(.stringList([])))
        default: return .reference(Reference(recordName: RecordName(trusted: "r"), action: .none))
        }
    }

    /// The scalars of a text, or the bytes, or the elements, so that a beginning can be compared exactly: Swift's equality
    /// of texts ignores composition.
    private static func units(_ value: FieldValue) -> [UInt8] {
        switch value {
        case .string(let text): Array(text.utf8)
        case .bytes(let bytes): bytes
        case .encrypted(.open(let value)), .encrypted(.exact(let value, _)): units(value)
        default: []
        }
    }

    private static func elements(_ value: FieldValue) -> [FieldValue]? {
        switch value {
        case .list(let elements, _): elements
        case .encrypted(.open(let value)), .encrypted(.exact(let value, _)): elements(value)
        default: nil
        }
    }

    @Test("a cut value is the beginning of the whole one, and its mark has the size of the whole")
    func beginnings() throws {
        let seed = TestSeeds.first
        print("seed \(seed)")
        var generator = SeededGenerator(seed: seed)
        for round in 0..<4000 {
            let whole = Self.value(&generator)
            let most = Int.random(in: 1..<200, using: &generator)
            guard let (value, mark) = whole.cut(to: most) else {
                if Self.elements(whole) != nil || !Self.units(whole).isEmpty { #expect(whole.contentBytes <= most) }
                continue
            }
            let place = "seed \(seed), round \(round): \(whole) to \(most) is \(value)"
            try #require(mark.bytes == whole.contentBytes && mark.bytes > most, "\(place)")
            try #require(value.contentBytes <= most && value.type == whole.type, "\(place)")
            if let all = Self.elements(whole) {
                let kept = try #require(Self.elements(value))
                try #require(mark.elements == all.count && kept.count <= all.count, "\(place)")
                for (one, other) in zip(kept.dropLast(), all) { try #require(one == other, "\(place)") }
                if let last = kept.last, last != all[kept.count - 1] {
                    try #require(Self.units(all[kept.count - 1]).starts(with: Self.units(last)), "\(place)")
                }
            } else {
                try #require(mark.elements == nil && Self.units(whole).starts(with: Self.units(value)), "\(place)")
            }
            if case .string(let text) = whole, case .string(let part) = value {
                let end = text.utf8.index(text.startIndex, offsetBy: part.utf8.count)
                try #require(text.indices.contains(end), "cut within a character: \(place)")
                // The next character does not fit any more.
                try #require(part.utf8.count + text[end].utf8.count > most, "\(place)")
            }
        }
    }

    @Test("a character that is longer than the cut is cut between scalars, in time that does not grow with it")
    func longCharacter() throws {
        let whole = FieldValue.string("a" + String(repeating: "\u{301}", count: 500_000))
        let (value, mark) = try #require(whole.cut(to: 4096))
        #expect(mark.bytes == 1_000_001)
        #expect(value.contentBytes == 4095)
    }

    @Test("many empty elements are not free")
    func emptyElements() throws {
        let (value, mark) = try #require(FieldValue.stringList(Array(repeating: "", count: 100_000)).cut(to: 4096))
        #expect(mark == ValueCut(bytes: 200_000, elements: 100_000))
        #expect(value == .stringList(Array(repeating: "", count: 2048)))
    }
}
