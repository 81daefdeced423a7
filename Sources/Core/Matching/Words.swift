/// The words of a text, as token searches compare them: maximal runs of letters and digits with their marks, by
/// Unicode, without case and diacritics.
package enum Words {
    /// What a search overlooks (spec section 6.2). Texts keep them: they are left out of the search, not of the record.
    package static let stopWords: Set<String> = [
        "a", "an", "and", "are", "as", "at", "be", "but", "by", "for", "if", "in", "into", "is", "it", "no", "not",
        "of",
        "on", "or", "such", "that", "the", "their", "then", "there", "these", "they", "this", "to", "was", "will",
        "with",
    ]

    /// All words of a text in their order, folded.
    package static func of(_ text: String) -> [String] {
        var words: [String] = []
        var word = String.UnicodeScalarView()
        for scalar in TextFolding.folded(text, diacritics: true, case: true).unicodeScalars {
            if isPart(scalar) {
                word.append(scalar)
            } else if !word.isEmpty {
                words.append(String(word))
                word = String.UnicodeScalarView()
            }
        }
        if !word.isEmpty { words.append(String(word)) }
        return words
    }

    /// The words that a search looks for: without stop words, each once.
    package static func sought(_ texts: [String]) -> Set<String> {
        Set(texts.flatMap(of)).subtracting(stopWords)
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
