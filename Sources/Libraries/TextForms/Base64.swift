/// Bytes as text by RFC 4648, read strictly: each sequence of bytes has one text and no other is read.
package enum Base64: Sendable {
    /// With `+` and `/`, padded with `=` to whole groups of four.
    case standard
    /// With `-` and `_` and without padding, as in URLs and JSON Web Tokens.
    case url

    /// The text of the bytes.
    package func encode(_ bytes: [UInt8]) -> String {
        let alphabet = self == .standard ? Self.standardAlphabet : Self.urlAlphabet
        let wholeGroups = bytes.count / 3
        return String(unsafeUninitializedCapacity: (bytes.count + 2) / 3 * 4) { text in
            for group in 0..<wholeGroups {
                let bits =
                    UInt32(bytes[3 * group]) << 16 | UInt32(bytes[3 * group + 1]) << 8 | UInt32(bytes[3 * group + 2])
                for index in 0..<4 { text[4 * group + index] = alphabet[Int(bits >> (18 - 6 * UInt32(index)) & 63)] }
            }
            let rest = bytes[(3 * wholeGroups)...]
            guard let first = rest.first else { return 4 * wholeGroups }
            let bits = UInt32(first) << 16 | UInt32(rest.dropFirst().first ?? 0) << 8
            for index in 0..<4 {
                text[4 * wholeGroups + index] =
                    index <= rest.count ? alphabet[Int(bits >> (18 - 6 * UInt32(index)) & 63)] : UInt8(ascii: "=")
            }
            return 4 * wholeGroups + (self == .standard ? 4 : rest.count + 1)
        }
    }

    /// The bytes of a text; nil if another character, missing or needless padding, or bits that no byte takes occur.
    package func decode(_ text: String) -> [UInt8]? {
        var digits = Array(text.utf8)
        if self == .standard {
            guard digits.count.isMultiple(of: 4) else { return nil }
            for _ in 0..<2 where digits.last == UInt8(ascii: "=") { digits.removeLast() }
        }
        guard digits.count % 4 != 1 else { return nil }
        let values = self == .standard ? Self.standardValues : Self.urlValues
        var bytes: [UInt8] = []
        bytes.reserveCapacity(digits.count * 3 / 4)
        var bits: UInt32 = 0
        var count: UInt32 = 0
        for digit in digits {
            guard values[Int(digit)] < 64 else { return nil }
            bits = bits << 6 | UInt32(values[Int(digit)])
            count += 6
            if count >= 8 {
                count -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> count))
            }
        }
        // The remaining bits must be zero, or several texts would be the same bytes.
        return bits & (1 << count - 1) == 0 ? bytes : nil
    }

    private static let standardAlphabet = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    private static let urlAlphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
    private static let standardValues = values(of: standardAlphabet)
    private static let urlValues = values(of: urlAlphabet)

    private static func values(of alphabet: [UInt8]) -> [UInt8] {
        var values = [UInt8](repeating: .max, count: 256)
        for (value, digit) in alphabet.enumerated() { values[Int(digit)] = UInt8(value) }
        return values
    }
}
