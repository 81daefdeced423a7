import TestSupport

/// Contents of several kinds, chosen by a seed.
enum Content {
    static func make(bytes: Int, seed: UInt64) -> [UInt8] {
        var random = SeededGenerator(seed: seed)
        // Words repeat, noise does not, and zeros are a run: what makes zlib choose its kinds of blocks.
        switch seed % 3 {
        case 0: return (0..<bytes).map { _ in UInt8.random(in: .min ... .max, using: &random) }
        case 1: return [UInt8](repeating: 0, count: bytes)
        default:
            let words = ["record", "zone", "\n", "{\"a\":", "Grüße "].map { Array($0.utf8) }
            var content: [UInt8] = []
            while content.count < bytes { content += words.randomElement(using: &random) ?? [] }
            return Array(content[..<bytes])
        }
    }
}
