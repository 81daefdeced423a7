/// Unicode full case folding without locale, the rule by which EQUALS, IN and LIST_CONTAINS compare strings
/// (docs/choices.md, 23).
///
/// The standard library has case mappings but no folding. Mapping each scalar to lower, upper and lower case again
/// makes two scalars equal exactly when full case folding does, except for the dotless i, which folds to itself
/// (checked over all scalars against Python's `str.casefold`; the tests repeat the cases that differ).
package enum CaseFolding {
    /// The folded form: two strings are equal without regard to case if their folded forms have the same scalars. No
    /// normalisation: a composed and a decomposed letter differ.
    /// - Parameter bytesMax: the bytes that the caller needs; the rest of the text may be left out.
    package static func folded(_ text: String, bytesMax: Int = .max) -> String {
        if text.utf8.count <= bytesMax, text.utf8.allSatisfy({ $0 < 0x80 }) { return foldedASCII(text) }
        return ScalarFolding.caseless.folded(text, bytesMax: bytesMax)
    }

    /// Returns true if two strings fold to the same scalars.
    package static func areEqual(_ left: String, _ right: String) -> Bool {
        folded(left).utf8.elementsEqual(folded(right).utf8)
    }

    private static func foldedASCII(_ text: String) -> String {
        guard text.utf8.contains(where: { $0 >= UInt8(ascii: "A") && $0 <= UInt8(ascii: "Z") }) else { return text }
        return text.lowercased()
    }

    static func folded(_ scalar: Unicode.Scalar) -> [Unicode.Scalar] {
        if scalar == "\u{131}" { return [scalar] }
        return scalar.properties.lowercaseMapping.unicodeScalars.flatMap { lower in
            lower.properties.uppercaseMapping.unicodeScalars.flatMap { upper in
                Array(upper.properties.lowercaseMapping.unicodeScalars)
            }
        }
    }
}
