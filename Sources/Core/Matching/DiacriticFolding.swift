#if canImport(Darwin)
    import Foundation
#else
    // The decomposition that String's own comparison uses. Apple's SDK hides it; Foundation would bring ICU to Linux.
    @_spi(_Unicode) import Swift
#endif

/// What `[d]` overlooks: marks on letters.
///
/// Each scalar is decomposed canonically and marks with a combining class other than 0 are dropped (accents, points,
/// the voicing marks of kana). What Unicode does not decompose stays: ø, đ and ł are letters of their own. Hangul
/// syllables stay whole, as their parts are letters; so do vowel signs, whose class is 0.
enum DiacriticFolding {
    /// The text without marks.
    static func folded(_ text: String) -> String {
        if text.utf8.allSatisfy({ $0 < 0x80 }) { return text }
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            if scalar.isASCII || (0xAC00...0xD7A3).contains(scalar.value) {
                result.append(scalar)
                continue
            }
            for part in decomposed(scalar) where part.properties.canonicalCombiningClass == .notReordered {
                result.append(part)
            }
        }
        return String(result)
    }

    private static func decomposed(_ scalar: Unicode.Scalar) -> [Unicode.Scalar] {
        #if canImport(Darwin)
            Array(String(Character(scalar)).decomposedStringWithCanonicalMapping.unicodeScalars)
        #else
            Array(String(Character(scalar))._nfd)
        #endif
    }
}

/// What a comparison with `[c]`, `[d]` or both compares.
enum TextFolding {
    /// The text without what the options overlook: two texts are equal under them when this has the same scalars.
    static func folded(_ text: String, diacritics: Bool, case isFolded: Bool) -> String {
        let plain = diacritics ? DiacriticFolding.folded(text) : text
        return isFolded ? CaseFolding.folded(plain) : plain
    }
}
