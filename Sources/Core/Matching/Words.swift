/// The words of a text, as token searches compare them: maximal runs of letters and digits with their marks, by
/// Unicode, without case and diacritics.
package enum Words {
    /// Words that a search ignores (docs/cloudkit.md#comparisons). Texts keep them: they are left out of the search,
    /// not of the record.
    package static let stopWords: Set<String> = [
        "a", "an", "and", "are", "as", "at", "be", "but", "by", "for", "if", "in", "into", "is", "it", "no", "not",
        "of",
        "on", "or", "such", "that", "the", "their", "then", "there", "these", "they", "this", "to", "was", "will",
        "with",
    ]

    /// All words of a text in their order, folded.
    package static func of(_ text: String) -> [String] {
        var words: [String] = []
        each(of: text) { words.append(String(decoding: $0, as: UTF8.self)) }
        return words
    }

    /// Hands out the bytes of each word of a text, folded.
    static func each(of text: String, _ body: (UnsafeBufferPointer<UInt8>) -> Void) {
        var folded = TextFolding.folded(text, diacritics: true, case: true)
        folded.withUTF8 { bytes in
            var (start, position) = (0, 0)
            while position < bytes.count {
                let end = position
                let scalar = ScalarFolding.next(bytes, &position)
                if isPart(scalar) { continue }
                if end > start { body(UnsafeBufferPointer(rebasing: bytes[start..<end])) }
                start = position
            }
            if bytes.count > start { body(UnsafeBufferPointer(rebasing: bytes[start...])) }
        }
    }

    /// The words that a search looks for, in the order of their bytes: without stop words, each once.
    ///
    /// Words are compared by their bytes, as Swift takes composed and decomposed ones for the same.
    package static func sought(_ texts: [String]) -> [String] {
        let words = texts.flatMap(of).filter { !stopWords.contains($0) }
        return unique(words)
    }

    /// The different words of texts, in the order of their bytes: those of `of`, without a text for each.
    package static func unique(of texts: [String]) -> [String] {
        var found = WordSet()
        for text in texts { each(of: text) { found.insert($0) } }
        return found.sorted()
    }

    /// The words of several lists, in the order of their bytes, each once.
    package static func united(_ lists: [[String]]) -> [String] {
        guard lists.count != 1 else { return lists[0] }
        var found = WordSet()
        for list in lists {
            for var word in list { word.withUTF8 { found.insert($0) } }
        }
        return found.sorted()
    }

    /// The words in the order of their bytes, each once.
    package static func unique(_ words: [String]) -> [String] {
        // A long text has most words often: they are sorted once each.
        Set(words.map(Word.init)).sorted().map(\.text)
    }

    /// A word by its bytes.
    private struct Word: Hashable, Comparable {
        let text: String

        static func == (left: Word, right: Word) -> Bool { left.withBytes(of: right) { $0.ordered(to: $1) == 0 } }
        static func < (left: Word, right: Word) -> Bool { left.withBytes(of: right) { $0.ordered(to: $1) < 0 } }

        func hash(into hasher: inout Hasher) {
            var text = text
            text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        }

        private func withBytes<Result>(
            of other: Word, _ body: (UnsafeBufferPointer<UInt8>, UnsafeBufferPointer<UInt8>) -> Result
        ) -> Result {
            var (left, right) = (text, other.text)
            return left.withUTF8 { left in right.withUTF8 { right in body(left, right) } }
        }
    }

    /// For each scalar of 16 bits, whether it is a part of words.
    private static let narrowParts = (0...UInt16.max).map { Unicode.Scalar($0).map(isPart) ?? false }

    private static func isPart(_ scalar: UInt32) -> Bool {
        if scalar <= UInt32(UInt16.max) { return narrowParts[Int(scalar)] }
        return Unicode.Scalar(scalar).map(isPart) ?? false
    }

    private static func isPart(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.isASCII { return ("a"..."z").contains(scalar) || ("0"..."9").contains(scalar) }
        switch scalar.properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .decimalNumber,
            .letterNumber, .otherNumber, .nonspacingMark, .spacingMark, .enclosingMark:
            return true
        default: return false
        }
    }
}
