import TextForms

/// A number in 16 bytes that reveal nothing of it, and that only the same key and context turn back: the same number
/// always gives the same identifier, and a forged or foreign identifier is detected.
///
/// It looks like a UUID and is of no version. The first 8 bytes are a code over context and number, the others the
/// number masked by a code over those 8 and the context (as in SIV): one guess in 2^64 is right.
package struct OpaqueIdentifier: Sendable, Hashable {
    private let tag: UInt64
    private let masked: UInt64

    /// The identifier of a number in a context, such as the user it is for.
    package init(_ number: UInt64, context: [UInt8], key: SecretKey) {
        tag = Self.tag(of: number, context: context, key: key)
        masked = number ^ Self.mask(of: tag, context: context, key: key)
    }

    /// Reads an identifier as `description` writes it, in lower case; nil if the text has another form.
    package init?(_ text: String) {
        var digits = Array(text.utf8)
        guard digits.count == 36, Self.dashes.allSatisfy({ digits[$0] == UInt8(ascii: "-") }) else { return nil }
        for place in Self.dashes.reversed() { digits.remove(at: place) }
        guard !digits.contains(where: { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }),
            let bytes = Hexadecimal.decode(String(decoding: digits, as: UTF8.self))
        else { return nil }
        tag = bytes[..<8].reduce(0) { $0 << 8 | UInt64($1) }
        masked = bytes[8...].reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// The number, or nil if the identifier was made for another context, with another key or by nobody.
    package func number(context: [UInt8], key: SecretKey) -> UInt64? {
        let number = masked ^ Self.mask(of: tag, context: context, key: key)
        let expected = Self.tag(of: number, context: context, key: key)
        return ConstantTime.areEqual(Self.bytes(of: tag), Self.bytes(of: expected)) ? number : nil
    }

    // The first byte keeps the two codes apart, as both are under one key; number and tag have a fixed length.
    private static func tag(of number: UInt64, context: [UInt8], key: SecretKey) -> UInt64 {
        firstEight(of: key.mac.code(for: [1] + bytes(of: number) + context))
    }

    private static func mask(of tag: UInt64, context: [UInt8], key: SecretKey) -> UInt64 {
        firstEight(of: key.mac.code(for: [2] + bytes(of: tag) + context))
    }

    private static func firstEight(of code: [UInt8]) -> UInt64 { code[..<8].reduce(0) { $0 << 8 | UInt64($1) } }

    private static func bytes(of number: UInt64) -> [UInt8] { withUnsafeBytes(of: number.bigEndian) { [UInt8]($0) } }
}

extension OpaqueIdentifier: CustomStringConvertible {
    /// 32 hexadecimal digits in lower case, grouped as a UUID's.
    package var description: String {
        var digits = Array(Hexadecimal.encode(Self.bytes(of: tag) + Self.bytes(of: masked)).utf8)
        for place in Self.dashes { digits.insert(UInt8(ascii: "-"), at: place) }
        return String(decoding: digits, as: UTF8.self)
    }

    /// The places of the dashes in a UUID.
    private static let dashes = [8, 13, 18, 23]
}
