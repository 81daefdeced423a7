/// A prefix or a part of a text as a key. The program distinguishes texts that share one.
enum Gram {
    /// The lengths of parts that are looked up, in bytes: few, as an event looks up all its parts of each in use.
    private static let partLengths = [8, 6, 4, 3, 2, 1]
    /// The lengths of prefixes that are looked up, in bytes: each in use takes one look.
    private static let prefixLengths = [32, 24, 16, 12, 8, 6, 4, 3, 2, 1]

    /// The longest length for a part of so many bytes.
    static func length(ofPart count: Int) -> Int { partLengths.first { $0 <= count } ?? 1 }

    /// The longest length for a prefix of so many bytes.
    static func length(ofPrefix count: Int) -> Int { prefixLengths.first { $0 <= count } ?? 1 }

    /// The facet's parameter: length and folding.
    static func parameter(length: Int, _ variant: Variant) -> Int { length << 2 | Int(variant.rawValue) }

    /// The length that a facet's parameter names.
    @inline(__always) static func length(of facet: Facet) -> Int { facet.parameter >> 2 }

    /// The folding that a facet's parameter names.
    @inline(__always) static func variant(of facet: Facet) -> Int { facet.parameter & 3 }

    /// The key of some bytes.
    @inline(__always) static func key(_ bytes: UnsafeBufferPointer<UInt8>) -> UInt32 {
        UInt32(truncatingIfNeeded: ByteHash.hash(bytes, seed: 0x51))
    }

    /// The key of some bytes.
    static func key(_ bytes: ArraySlice<UInt8>) -> UInt32 { bytes.withUnsafeBufferPointer { key($0) } }
}
