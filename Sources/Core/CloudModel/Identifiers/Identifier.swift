/// A name that keeps its own type: no raw `String` crosses a signature.
///
/// Conformers check their rules once, in `init(_:)`; what exists is valid.
package protocol Identifier: Hashable, Sendable, Comparable, CustomStringConvertible {
    /// The text as users and logs see it.
    var rawValue: String { get }
    /// Checks `rawValue` against the rules of this kind of name.
    /// - Throws: `CloudError` with `BAD_REQUEST` and the rule that was broken.
    init(_ rawValue: String) throws(CloudError)
    /// Takes a text that was checked before it was stored or published.
    init(trusted rawValue: String)
}

extension Identifier {
    /// The text itself.
    package var description: String { rawValue }

    /// Orders by UTF-8 bytes, the same on every platform.
    package static func < (left: Self, right: Self) -> Bool {
        left.rawValue.precedes(right.rawValue)
    }
}

/// The rules that several kinds of names share (docs/cloudkit.md#limits).
enum NameRule {
    /// Refuses names that are empty, longer than `Limits.nameCharactersMax`, or not printable ASCII.
    static func printableASCII(_ text: String, kind: StaticString) throws(CloudError) {
        guard !text.isEmpty else {
            throw .badRequest("\(kind) must not be empty")
        }
        guard text.utf8.count <= Limits.nameCharactersMax else {
            throw .badRequest(
                "\(kind) is \(text.utf8.count) characters long; at most \(Limits.nameCharactersMax) are allowed")
        }
        guard text.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7f }) else {
            throw .badRequest("\(kind) may hold printable ASCII characters only")
        }
    }

    /// Refuses what does not start with a letter or holds anything but letters, digits and underscores.
    static func word(_ text: String, kind: StaticString) throws(CloudError) {
        try printableASCII(text, kind: kind)
        let bytes = Array(text.utf8)
        guard isLetter(bytes[0]), bytes.allSatisfy({ isLetter($0) || isDigit($0) || $0 == UInt8(ascii: "_") }) else {
            throw .badRequest(
                "\(kind) '\(text)' must start with a letter and hold only letters, digits and underscores")
        }
    }

    static func isLetter(_ byte: UInt8) -> Bool {
        (byte | 0x20) >= UInt8(ascii: "a") && (byte | 0x20) <= UInt8(ascii: "z")
    }
    static func isDigit(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") }
}

extension String {
    /// The text as an error shows it, in quotes: the beginning of one that is longer than any name, which a client may
    /// have sent by the megabyte.
    package var quotedInErrors: String {
        let shown = cut(to: Limits.nameCharactersMax)
        return shown.utf8.count < utf8.count ? "'\(shown)…'" : "'\(shown)'"
    }

    /// Returns true if the text's UTF-8 sorts before another's, byte by byte.
    fileprivate func precedes(_ other: String) -> Bool {
        let order = utf8.withContiguousStorageIfAvailable { left in
            other.utf8.withContiguousStorageIfAvailable { right -> Bool in
                let count = min(left.count, right.count)
                for index in 0..<count where left[index] != right[index] { return left[index] < right[index] }
                return left.count < right.count
            }
        }
        // Bridged strings have no contiguous bytes.
        return order.flatMap { $0 } ?? utf8.lexicographicallyPrecedes(other.utf8)
    }
}
