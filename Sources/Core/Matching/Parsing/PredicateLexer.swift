import CloudModel

/// Cuts a predicate string into tokens.
struct PredicateLexer {
    private let scalars: [Unicode.Scalar]
    private let failure: PredicateFailure
    private var position = 0

    /// Longer ones first.
    private static let symbols = [
        "&&", "||", "==", "!=", "<>", "<=", "=<", ">=", "=>", "**", ":=", "=", "<", ">", "!", "(", ")", "{", "}", "[",
        "]",
        ",", ".", "+", "-", "*", "/", "$", "@",
    ].map { Array($0.unicodeScalars) }

    init(_ scalars: [Unicode.Scalar]) {
        self.scalars = scalars
        failure = PredicateFailure(scalars: scalars)
    }

    mutating func next() throws(CloudError) -> PredicateToken {
        while let scalar = peek(), scalar.properties.isWhitespace { position += 1 }
        let start = position
        return PredicateToken(kind: try kind(), offset: start)
    }

    private mutating func kind() throws(CloudError) -> PredicateToken.Kind {
        guard let first = peek() else { return .end }
        switch first {
        case "'", "\"": return .string(try string(first))
        case "%": return try argument()
        case "#":
            position += 1
            guard let next = peek(), Self.isWord(next) else {
                throw failure.error("expected a field's name after '#'", at: position)
            }
            return .escaped(word(withColons: false))
        case _ where Self.isDigit(first): return try number()
        case "-" where peek(1).map(Self.isDigit) == true: return try number()
        case _ where Self.isWord(first): return .word(word(withColons: true))
        default:
            for symbol in Self.symbols where scalars[position...].starts(with: symbol) {
                position += symbol.count
                var text = ""
                text.unicodeScalars.append(contentsOf: symbol)
                return .symbol(text)
            }
            throw failure.error("this character has no meaning here", at: position)
        }
    }

    private func peek(_ ahead: Int = 0) -> Unicode.Scalar? {
        position + ahead < scalars.count ? scalars[position + ahead] : nil
    }

    private static func isDigit(_ scalar: Unicode.Scalar) -> Bool { ("0"..."9").contains(scalar) }

    private static func isWord(_ scalar: Unicode.Scalar) -> Bool {
        ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar) || isDigit(scalar) || scalar == "_"
    }

    private mutating func word(withColons: Bool) -> String {
        var text = String.UnicodeScalarView()
        while let scalar = peek(), Self.isWord(scalar) || (withColons && scalar == ":" && peek(1) != "=") {
            text.append(scalar)
            position += 1
        }
        return String(text)
    }

    private mutating func argument() throws(CloudError) -> PredicateToken.Kind {
        defer { position += 2 }
        switch peek(1) {
        case "@": return .value
        case "K": return .key
        default: throw failure.error("expected %@ for a value or %K for a field's name", at: position)
        }
    }

    private mutating func number() throws(CloudError) -> PredicateToken.Kind {
        let start = position
        var isWhole = true
        var text = String.UnicodeScalarView()
        func isExponent(_ scalar: Unicode.Scalar) -> Bool {
            guard scalar == "e" || scalar == "E" else { return false }
            if peek(1).map(Self.isDigit) == true { return true }
            return (peek(1) == "-" || peek(1) == "+") && peek(2).map(Self.isDigit) == true
        }
        while let scalar = peek() {
            if scalar == "." && isWhole && peek(1).map(Self.isDigit) == true {
                isWhole = false
            } else if isExponent(scalar) && text.last != "e" {
                isWhole = false
                text.append("e")
                position += 1
                if let sign = peek(), !Self.isDigit(sign) {
                    text.append(sign)
                    position += 1
                }
                continue
            } else if !Self.isDigit(scalar) && position != start {
                break
            }
            text.append(scalar)
            position += 1
        }
        if let scalar = peek(), Self.isWord(scalar) {
            throw failure.error("a number cannot be followed by this", at: position)
        }
        if isWhole, let number = Int64(String(text)) { return .integer(number) }
        guard !isWhole, let number = Double(String(text)), number.isFinite else {
            throw failure.error("the number is beyond 64 bits", at: start)
        }
        return .double(number)
    }

    private mutating func string(_ quote: Unicode.Scalar) throws(CloudError) -> String {
        let start = position
        position += 1
        var text = String.UnicodeScalarView()
        while let scalar = peek() {
            position += 1
            if scalar == quote {
                let text = String(text)
                guard text.utf8.count <= Limits.operandBytesMax else {
                    throw failure.error(
                        "the string has \(text.utf8.count) bytes; at most \(Limits.operandBytesMax) are allowed",
                        at: start)
                }
                return text
            }
            text.append(scalar == "\\" ? try escape() : scalar)
        }
        throw failure.error("the string that begins here does not end", at: start)
    }

    private mutating func escape() throws(CloudError) -> Unicode.Scalar {
        let start = position - 1
        guard let scalar = peek() else { throw failure.error("a string cannot end in a lone \\", at: start) }
        position += 1
        switch scalar {
        case "n": return "\n"
        case "r": return "\r"
        case "t": return "\t"
        case "'", "\"", "\\": return scalar
        case "u":
            var value: UInt32 = 0
            for _ in 0..<4 {
                guard let digit = peek().flatMap({ Character($0).hexDigitValue }) else {
                    throw failure.error("\\u takes four hexadecimal digits", at: start)
                }
                value = value << 4 | UInt32(digit)
                position += 1
            }
            guard let scalar = Unicode.Scalar(value) else {
                throw failure.error("\\u names no character; write the character itself", at: start)
            }
            return scalar
        default: throw failure.error("known escapes are \\n \\r \\t \\' \\\" \\\\ and \\u with four digits", at: start)
        }
    }
}
