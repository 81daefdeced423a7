import JSON
import TestSupport

/// Trees and damaged texts, chosen by a seed.
struct RandomJSON {
    private var random: SeededGenerator

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    mutating func value(depth: Int = 5) -> JSONValue {
        switch Int.random(in: 0..<(depth > 0 ? 9 : 6), using: &random) {
        case 0: .null
        case 1: .bool(Bool.random(using: &random))
        case 2: .integer(integer())
        case 3: .double(double())
        case 4, 5: .string(string())
        case 6: .array((0..<size()).map { _ in value(depth: depth - 1) })
        default: .object(object(depth: depth - 1))
        }
    }

    private mutating func object(depth: Int) -> JSONObject {
        var object = JSONObject()
        for _ in 0..<size() { object[string()] = value(depth: depth) }
        return object
    }

    /// The text with a few bytes changed, put in, taken out or moved.
    mutating func damaged(_ text: [UInt8]) -> [UInt8] {
        var text = text
        let tokens = Array("[]{}\",:\\u0e+-.1\u{1} ü".utf8) + [0x80, 0xff]
        for _ in 0..<Int.random(in: 1...3, using: &random) where !text.isEmpty {
            let place = Int.random(in: 0..<text.count, using: &random)
            switch Int.random(in: 0..<4, using: &random) {
            case 0: text[place] = tokens.randomElement(using: &random) ?? 0
            case 1: text.insert(tokens.randomElement(using: &random) ?? 0, at: place)
            case 2: text.removeSubrange(place..<min(place + 2, text.count))
            default: text.swapAt(place, Int.random(in: 0..<text.count, using: &random))
            }
        }
        return text
    }

    private mutating func size() -> Int {
        Int.random(in: 0..<20, using: &random) == 0 ? 30 : Int.random(in: 0...4, using: &random)
    }

    private mutating func integer() -> Int64 {
        switch Int.random(in: 0..<6, using: &random) {
        case 0: .max
        case 1: .min
        default: Int64(truncatingIfNeeded: random.next() >> UInt64.random(in: 0..<64, using: &random))
        }
    }

    private mutating func double() -> Double {
        let value = Double(bitPattern: random.next())
        switch Int.random(in: 0..<3, using: &random) {
        case 0: return Double(integer()) / 1_000
        case 1:
            return [0, -0.0, 0.1, 1e21, 1e-7, .greatestFiniteMagnitude, .leastNonzeroMagnitude].randomElement(
                using: &random) ?? 0
        default: return value.isFinite ? value : 1.5
        }
    }

    private mutating func string() -> String {
        let pieces = [
            "", "a", "key", "Grüße", "e\u{301}", "\u{e9}", "日本語", "😀", "\"", "\\", "/", "\n\t", "\u{1}", "\u{7f}",
            "0123456789abcdef",
        ]
        return (0..<Int.random(in: 0...3, using: &random)).map { _ in pieces.randomElement(using: &random) ?? "" }
            .joined()
    }
}
