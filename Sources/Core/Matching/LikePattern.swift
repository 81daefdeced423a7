/// A pattern of `LIKE`: `?` stands for one Unicode scalar, `*` for any number of them, `\` before one of the three for
/// itself.
///
/// All ways to match are followed at once, a bit for each: time is that of the text times the pattern's words of 64
/// scalars, whatever the two hold.
struct LikePattern {
    private enum Element: Equatable { case scalar(Unicode.Scalar), any }

    /// Bit i: the element i takes this scalar.
    private var masks: [Unicode.Scalar: [UInt64]] = [:]
    /// Bit i: the element i takes every scalar.
    private var anyMask: [UInt64]
    /// Bit i: a star stands before the element i, or at the end.
    private var stars: [UInt64]
    private let count: Int

    init(_ pattern: String, folded: (String) -> String) {
        var elements: [Element] = []
        var starred: [Int] = []
        var literal = ""
        func flush() {
            elements += folded(literal).unicodeScalars.map { .scalar($0) }
            literal = ""
        }
        var isEscaped = false
        for scalar in pattern.unicodeScalars {
            switch scalar {
            case _ where isEscaped:
                if scalar != "?" && scalar != "*" && scalar != "\\" { literal.unicodeScalars.append("\\") }
                literal.unicodeScalars.append(scalar)
                isEscaped = false
            case "\\": isEscaped = true
            case "?":
                flush()
                elements.append(.any)
            case "*":
                flush()
                starred.append(elements.count)
            default: literal.unicodeScalars.append(scalar)
            }
        }
        if isEscaped { literal.unicodeScalars.append("\\") }
        flush()
        count = elements.count
        let words = count / 64 + 1
        anyMask = Array(repeating: 0, count: words)
        stars = anyMask
        for index in starred { stars[index / 64] |= 1 << UInt64(index % 64) }
        for (index, element) in elements.enumerated() {
            let bit = UInt64(1) << UInt64(index % 64)
            switch element {
            case .any: anyMask[index / 64] |= bit
            case .scalar(let scalar):
                masks[scalar, default: Array(repeating: 0, count: words)][index / 64] |= bit
            }
        }
    }

    /// The longest run of a pattern that stands for itself: every text that fits holds it, folded or not.
    static func longestLiteral(_ pattern: String) -> String {
        var longest = ""
        var literal = ""
        var isEscaped = false
        func end() {
            if literal.utf8.count > longest.utf8.count { longest = literal }
            literal = ""
        }
        for scalar in pattern.unicodeScalars {
            switch scalar {
            case _ where isEscaped:
                if scalar != "?" && scalar != "*" && scalar != "\\" { literal.unicodeScalars.append("\\") }
                literal.unicodeScalars.append(scalar)
                isEscaped = false
            case "\\": isEscaped = true
            case "?", "*": end()
            default: literal.unicodeScalars.append(scalar)
            }
        }
        if isEscaped { literal.unicodeScalars.append("\\") }
        end()
        return longest
    }

    /// Whether the whole text fits; the text is folded already.
    func matches(_ text: String) -> Bool {
        // Bit i: the text so far fits the first i elements.
        var states = Array(repeating: UInt64(0), count: stars.count)
        states[0] = 1
        for scalar in text.unicodeScalars {
            let mask = masks[scalar]
            var carry: UInt64 = 0
            var isAlive: UInt64 = 0
            for word in states.indices {
                let advancing = states[word] & (anyMask[word] | (mask?[word] ?? 0))
                let next = (advancing << 1) | carry | (states[word] & stars[word])
                carry = advancing >> 63
                states[word] = next
                isAlive |= next
            }
            if isAlive == 0 { return false }
        }
        return states[count / 64] >> UInt64(count % 64) & 1 == 1
    }
}
