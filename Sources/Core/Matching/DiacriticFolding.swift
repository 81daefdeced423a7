// The decomposition that String's own comparison uses; Foundation's would bring ICU.
@_spi(_Unicode) import Swift

/// The folding of `[d]`, which ignores marks on letters.
///
/// Each scalar is decomposed canonically and marks with a combining class other than 0 are dropped (accents, points,
/// the voicing marks of kana). What Unicode does not decompose stays: ø, đ and ł are letters of their own. Hangul
/// syllables stay whole, as their parts are letters; so do vowel signs, whose class is 0.
enum DiacriticFolding {
    /// The text without marks.
    static func folded(_ text: String) -> String {
        if text.utf8.allSatisfy({ $0 < 0x80 }) { return text }
        return ScalarFolding.markless.folded(text)
    }

    /// A scalar without its marks.
    static func folded(_ scalar: Unicode.Scalar) -> [Unicode.Scalar] {
        if scalar.isASCII || (0xAC00...0xD7A3).contains(scalar.value) { return [scalar] }
        return decomposed(scalar).filter { $0.properties.canonicalCombiningClass == .notReordered }
    }

    private static func decomposed(_ scalar: Unicode.Scalar) -> [Unicode.Scalar] {
        Array(String(Character(scalar))._nfd)
    }
}

/// The folding of a comparison with `[c]`, `[d]` or both.
enum TextFolding {
    /// The text without all that the options ignore: two texts are equal under them when this has the same scalars.
    static func folded(_ text: String, diacritics: Bool, case isFolded: Bool) -> String {
        guard diacritics else { return isFolded ? CaseFolding.folded(text) : text }
        guard isFolded else { return DiacriticFolding.folded(text) }
        if text.utf8.allSatisfy({ $0 < 0x80 }) { return CaseFolding.folded(text) }
        return ScalarFolding.caselessMarkless.folded(text)
    }
}
