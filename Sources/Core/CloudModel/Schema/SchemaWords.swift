import TextForms

/// The words of a text in CloudKit's schema language, with their lines: names, quoted or not, and signs.
struct SchemaWords {
    /// One word.
    struct Word {
        var text: String
        /// True for a word in quotes: it is a name, whatever it looks like.
        var isQuoted = false
        var line: Int
    }

    private var words: [Word] = []
    private var next = 0
    /// Texts of comments that begin with `--`, which may say what the language has no words for.
    private(set) var comments: [(text: String, line: Int)] = []
    /// The line behind the last one.
    private var lastLine = 1

    /// - Throws: `BAD_REQUEST` with the line of a quote or comment without an end, or of an unknown sign.
    init(_ text: String) throws(CloudError) {
        var line = 1
        var rest = Substring(text)
        while let first = rest.first {
            if first.isNewline {
                line += 1
                rest.removeFirst()
            } else if first.isWhitespace {
                rest.removeFirst()
            } else if rest.hasPrefix("--") || rest.hasPrefix("//") {
                let comment = rest.prefix { !$0.isNewline }
                if comment.hasPrefix("--") { comments.append((Self.trimmed(comment.dropFirst(2)), line)) }
                rest = rest[comment.endIndex...]
            } else if rest.hasPrefix("/*") {
                guard let end = rest.firstPlace(of: "*/") else { throw Self.error("a comment has no end", line) }
                line += rest[..<end.upperBound].count(where: \.isNewline)
                rest = rest[end.upperBound...]
            } else if first == "\"" {
                let name = rest.dropFirst().prefix { $0 != "\"" && !$0.isNewline }
                guard rest[name.endIndex...].first == "\"" else { throw Self.error("a quote has no end", line) }
                words.append(Word(text: String(name), isQuoted: true, line: line))
                rest = rest[name.endIndex...].dropFirst()
            } else if Self.isOfName(first) {
                let name = rest.prefix(while: Self.isOfName)
                words.append(Word(text: String(name), line: line))
                rest = rest[name.endIndex...]
            } else {
                guard "(),;<>".contains(first) else { throw Self.error("'\(first)' is none of its signs", line) }
                words.append(Word(text: String(first), line: line))
                rest.removeFirst()
            }
        }
        lastLine = line
    }

    /// The next word, without taking it; nil at the end.
    var peek: Word? { next < words.count ? words[next] : nil }

    /// Takes the next word.
    /// - Throws: `BAD_REQUEST` at the end.
    mutating func take(_ what: String) throws(CloudError) -> Word {
        guard let word = peek else { throw Self.error("it ends where \(what) is missing", lastLine) }
        next += 1
        return word
    }

    /// Takes the next word if it is this one: words of the language are the same in small letters.
    mutating func take(ifIs text: String) -> Bool {
        guard let word = peek, !word.isQuoted, word.text.uppercased() == text else { return false }
        next += 1
        return true
    }

    /// Takes these words.
    mutating func expect(_ texts: String...) throws(CloudError) {
        for text in texts where !take(ifIs: text) {
            throw Self.error(
                "\(text) is missing, before \(peek.map { "'\($0.text)'" } ?? "the end")", peek?.line ?? lastLine)
        }
    }

    /// The error for a line of a schema.
    static func error(_ what: String, _ line: Int) -> CloudError { .badRequest("line \(line) of the schema: \(what)") }

    private static func isOfName(_ character: Character) -> Bool {
        character.isLetter || character.isNumber || character == "_" || character == "." || character == "-"
    }

    private static func trimmed(_ text: Substring) -> String {
        var text = text.drop(while: \.isWhitespace)
        while text.last?.isWhitespace == true { text.removeLast() }
        return String(text)
    }
}
