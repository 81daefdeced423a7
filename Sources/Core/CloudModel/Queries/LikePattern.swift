/// A compiled pattern of `LIKE`: `?` matches one Unicode scalar, `*` any number of them, `\` escapes one of the three.
///
/// All ways to match are followed at once, one bit each: the time is that of the text times the pattern's words of 64
/// scalars, whatever both contain. Matching allocates nothing.
package final class LikePattern: Sendable {
    private enum Part { case literal(String), any, star }
    private enum Element { case scalar(Unicode.Scalar), any }

    /// The number of elements that take one scalar each.
    private let count: Int
    /// Words of a row of bits, one bit for each element and one for the end.
    private let words: Int
    /// Rows of bits. Row 0, bit i: the element i matches every scalar. Row 1: a star precedes the element i, or the
    /// end. Further rows: the element matches this scalar, or every one.
    private let rows: [UInt64]
    /// The row of each ASCII character, 0 for those that the pattern does not have.
    private let ascii: [UInt16]
    private let others: [UInt32: UInt16]

    /// - Parameter folded: folds texts as those are that are to be matched.
    package init(_ pattern: String, folded: (String) -> String) {
        var elements: [Element] = []
        var starred: [Int] = []
        for part in Self.parts(of: pattern) {
            switch part {
            case .literal(let text): elements += folded(text).unicodeScalars.map { .scalar($0) }
            case .any: elements.append(.any)
            case .star: starred.append(elements.count)
            }
        }
        count = elements.count
        words = count / 64 + 1
        var scalars: [Unicode.Scalar: Int] = [:]
        for case .scalar(let scalar) in elements where scalars[scalar] == nil { scalars[scalar] = scalars.count + 2 }
        var rows = [UInt64](repeating: 0, count: (scalars.count + 2) * words)
        for index in starred { rows[words + index / 64] |= 1 << UInt64(index % 64) }
        for (index, element) in elements.enumerated() {
            let bit = UInt64(1) << UInt64(index % 64)
            switch element {
            case .any:
                rows[index / 64] |= bit
                for row in scalars.values { rows[row * words + index / 64] |= bit }
            case .scalar(let scalar): rows[scalars[scalar]! * words + index / 64] |= bit
            }
        }
        self.rows = rows
        var ascii = [UInt16](repeating: 0, count: 128)
        var others: [UInt32: UInt16] = [:]
        for (scalar, row) in scalars {
            if scalar.isASCII { ascii[Int(scalar.value)] = UInt16(row) } else { others[scalar.value] = UInt16(row) }
        }
        self.ascii = ascii
        self.others = others
    }

    /// The longest run of a pattern that stands for itself: every text that fits holds it, folded or not.
    package static func longestLiteral(_ pattern: String) -> String {
        var longest = ""
        for case .literal(let text) in parts(of: pattern) where text.utf8.count > longest.utf8.count { longest = text }
        return longest
    }

    /// Splits a pattern into its parts, in their order.
    private static func parts(of pattern: String) -> [Part] {
        var parts: [Part] = []
        var literal = ""
        func end(with wildcard: Part? = nil) {
            if !literal.isEmpty { parts.append(.literal(literal)) }
            literal = ""
            if let wildcard { parts.append(wildcard) }
        }
        var isEscaped = false
        for scalar in pattern.unicodeScalars {
            switch scalar {
            case _ where isEscaped:
                if scalar != "?" && scalar != "*" && scalar != "\\" { literal.unicodeScalars.append("\\") }
                literal.unicodeScalars.append(scalar)
                isEscaped = false
            case "\\": isEscaped = true
            case "?": end(with: .any)
            case "*": end(with: .star)
            default: literal.unicodeScalars.append(scalar)
            }
        }
        if isEscaped { literal.unicodeScalars.append("\\") }
        end()
        return parts
    }

    /// Returns true if the pattern matches the whole text, which is folded already.
    package func matches(_ text: String) -> Bool {
        var text = text
        return text.withUTF8 { matches($0) }
    }

    /// Returns true if the pattern matches the whole text, which is UTF-8 and folded already.
    package func matches(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        // Every element takes a byte at least.
        guard text.count >= count else { return false }
        return rows.withUnsafeBufferPointer { rows in
            if words == 1 { return matchesInOneWord(text, rows) }
            return withUnsafeTemporaryAllocation(of: UInt64.self, capacity: words) { states in
                states.initialize(repeating: 0)
                return matches(text, rows, states)
            }
        }
    }

    private func matchesInOneWord(_ text: UnsafeBufferPointer<UInt8>, _ rows: UnsafeBufferPointer<UInt64>) -> Bool {
        // Bit i: the text so far fits the first i elements.
        var state: UInt64 = 1
        let stars = rows[1]
        var position = 0
        while position < text.count {
            let row = nextRow(text, &position)
            state = ((state & rows[row]) << 1) | (state & stars)
            if state == 0 { return false }
        }
        return state >> UInt64(count) & 1 == 1
    }

    private func matches(
        _ text: UnsafeBufferPointer<UInt8>, _ rows: UnsafeBufferPointer<UInt64>,
        _ states: UnsafeMutableBufferPointer<UInt64>
    ) -> Bool {
        states[0] = 1
        var position = 0
        while position < text.count {
            let row = nextRow(text, &position) * words
            var carry: UInt64 = 0
            var isAlive: UInt64 = 0
            for word in 0..<words {
                let advancing = states[word] & rows[row + word]
                let next = (advancing << 1) | carry | (states[word] & rows[words + word])
                carry = advancing >> 63
                states[word] = next
                isAlive |= next
            }
            if isAlive == 0 { return false }
        }
        return states[count / 64] >> UInt64(count % 64) & 1 == 1
    }

    /// The row of the next scalar of a text.
    @inline(__always)
    private func nextRow(_ text: UnsafeBufferPointer<UInt8>, _ position: inout Int) -> Int {
        let first = text[position]
        position += 1
        if first < 0x80 { return Int(ascii[Int(first)]) }
        let count = first < 0xE0 ? 1 : first < 0xF0 ? 2 : 3
        var scalar = UInt32(first) & (0x3F >> UInt32(count))
        for _ in 0..<count where position < text.count {
            scalar = scalar << 6 | UInt32(text[position] & 0x3F)
            position += 1
        }
        return Int(others[scalar] ?? 0)
    }
}
