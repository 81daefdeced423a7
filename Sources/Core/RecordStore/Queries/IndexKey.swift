/// The key of an index row. Keys are ordered: numbers by their value, whatever their type, before texts by their UTF-8
/// bytes.
package enum IndexKey: Hashable, Sendable {
    case integer(Int64)
    /// Finite.
    case real(Double)
    case text(String)

    /// Equal bytes: Swift takes composed and decomposed letters for the same, the store does not.
    package static func == (left: IndexKey, right: IndexKey) -> Bool {
        switch (left, right) {
        case (.integer(let a), .integer(let b)): a == b
        case (.real(let a), .real(let b)): a == b
        case (.text(let a), .text(let b)): a.utf8.elementsEqual(b.utf8)
        default: false
        }
    }

    package func hash(into hasher: inout Hasher) {
        switch self {
        case .integer(let number): hasher.combine(number)
        case .real(let number): hasher.combine(number)
        case .text(let text): for byte in text.utf8 { hasher.combine(byte) }
        }
    }

    /// Bytes of a text in an index row at most; a longer one is cut, so that rows with equal keys may differ.
    package static let textBytesMax = 256

    /// A text, cut after a whole character so that it fits into an index row.
    package static func text(cutting text: String) -> IndexKey {
        guard text.utf8.count > textBytesMax else { return .text(text) }
        var bytes = 0
        let scalars = text.unicodeScalars.prefix { scalar in
            bytes += UTF8.width(scalar)
            return bytes <= textBytesMax
        }
        return .text(String(scalars))
    }

    /// True if a text may have been cut.
    package var mayBeCut: Bool {
        if case .text(let text) = self { text.utf8.count > Self.textBytesMax - 4 } else { false }
    }
}

/// Keys from one to another; nil is open.
package struct IndexKeyRange: Hashable, Sendable {
    /// An end of a range.
    package struct Bound: Hashable, Sendable {
        /// The key at the end of the range.
        package var key: IndexKey
        /// True if the key itself belongs to the range.
        package var isInclusive: Bool

        /// An end that belongs to the range or not.
        package init(_ key: IndexKey, isInclusive: Bool) {
            self.key = key
            self.isInclusive = isInclusive
        }
    }

    /// The least keys; nil is from the first.
    package var lower: Bound?
    /// The greatest keys; nil is to the last.
    package var upper: Bound?

    /// Keys between two ends.
    package init(lower: Bound?, upper: Bound?) {
        self.lower = lower
        self.upper = upper
    }

    /// True if all keys are in it.
    package var isOpen: Bool { lower == nil && upper == nil }

    /// The texts that begin with a prefix: up to the text that follows all of them, its last character raised by one.
    package init(prefix: String) {
        var scalars = Array(prefix.unicodeScalars)
        var upper: Bound?
        while let last = scalars.popLast() {
            guard last.value < 0x10ffff else { continue }
            // Surrogates are no characters.
            let next = last.value == 0xd7ff ? 0xe000 : last.value + 1
            scalars.append(Unicode.Scalar(next)!)
            upper = Bound(.text(String(String.UnicodeScalarView(scalars))), isInclusive: false)
            break
        }
        self.init(lower: Bound(.text(prefix), isInclusive: true), upper: upper)
    }
}
