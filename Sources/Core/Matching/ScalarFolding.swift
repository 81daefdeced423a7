/// A mapping of each scalar of a text to its folded form. It does not depend on neighbouring scalars, so a text is
/// folded in one pass over its bytes, in linear time.
struct ScalarFolding: Sendable {
    /// Without case; without marks; without both.
    static let caseless = ScalarFolding { CaseFolding.folded($0) }
    static let markless = ScalarFolding { DiacriticFolding.folded($0) }
    static let caselessMarkless = ScalarFolding { DiacriticFolding.folded($0).flatMap { CaseFolding.folded($0) } }

    /// In `single`, for a form in `several`. Surrogates are no scalars.
    private static let severalMark: UInt16 = 0xD800

    private let mapping: @Sendable (Unicode.Scalar) -> [Unicode.Scalar]
    /// The folded form of each scalar of 16 bits, if that is one scalar of 16 bits, too.
    private let single: [UInt16]
    /// The bytes of the folded forms of the other scalars of 16 bits: none, several, or one beyond 16 bits.
    private let several: [UInt16: [UInt8]]

    private init(_ mapping: @escaping @Sendable (Unicode.Scalar) -> [Unicode.Scalar]) {
        self.mapping = mapping
        var several: [UInt16: [UInt8]] = [:]
        single = (0...UInt16.max).map { number in
            guard !Self.isUnchanged(UInt32(number)), let scalar = Unicode.Scalar(number) else { return number }
            let folded = mapping(scalar)
            if folded.count == 1, let narrow = UInt16(exactly: folded[0].value) { return narrow }
            several[number] = folded.reduce(into: []) { Self.append($1.value, to: &$0) }
            return Self.severalMark
        }
        self.several = several
    }

    /// Ideographs, Hangul syllables, scalars for private use and emoji have neither case nor marks, and never will.
    private static func isUnchanged(_ number: UInt32) -> Bool {
        switch number {
        case 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xAC00...0xD7A3, 0xE000...0xF8FF, 0x1F000...0x1FAFF, 0x20000...0x2F7FF:
            true
        default: false
        }
    }

    /// The folded text.
    /// - Parameter bytesMax: so many bytes are enough: the rest of the text may be left out.
    func folded(_ text: String, bytesMax: Int = .max) -> String {
        var text = text
        let bytes = text.withUTF8 { self.bytes(of: $0, bytesMax: bytesMax) }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The bytes of the folded text, of which the given ones are UTF-8.
    func bytes(of text: UnsafeBufferPointer<UInt8>, bytesMax: Int = .max) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(min(text.count, bytesMax))
        var position = 0
        while position < text.count, result.count < bytesMax {
            let scalar = Self.next(text, &position)
            guard let narrow = UInt16(exactly: scalar) else {
                if Self.isUnchanged(scalar) {
                    Self.append(scalar, to: &result)
                } else {
                    for part in mapping(Unicode.Scalar(scalar) ?? "\u{FFFD}") { Self.append(part.value, to: &result) }
                }
                continue
            }
            let folded = single[Int(narrow)]
            if folded == Self.severalMark {
                result += several[narrow] ?? []
            } else {
                Self.append(UInt32(folded), to: &result)
            }
        }
        return result
    }

    /// The scalar at a position of UTF-8, which moves behind it.
    @inline(__always)
    static func next(_ text: UnsafeBufferPointer<UInt8>, _ position: inout Int) -> UInt32 {
        let first = text[position]
        position += 1
        if first < 0x80 { return UInt32(first) }
        let count = first < 0xE0 ? 1 : first < 0xF0 ? 2 : 3
        var scalar = UInt32(first) & (0x3F >> UInt32(count))
        for _ in 0..<count where position < text.count {
            scalar = scalar << 6 | UInt32(text[position] & 0x3F)
            position += 1
        }
        return scalar
    }

    @inline(__always) private static func append(_ scalar: UInt32, to bytes: inout [UInt8]) {
        if scalar < 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: scalar))
            return
        }
        if scalar < 0x800 {
            bytes.append(0xC0 | UInt8(truncatingIfNeeded: scalar >> 6))
        } else {
            if scalar < 0x10000 {
                bytes.append(0xE0 | UInt8(truncatingIfNeeded: scalar >> 12))
            } else {
                bytes.append(0xF0 | UInt8(truncatingIfNeeded: scalar >> 18))
                bytes.append(0x80 | UInt8(truncatingIfNeeded: scalar >> 12) & 0x3F)
            }
            bytes.append(0x80 | UInt8(truncatingIfNeeded: scalar >> 6) & 0x3F)
        }
        bytes.append(0x80 | UInt8(truncatingIfNeeded: scalar) & 0x3F)
    }
}
