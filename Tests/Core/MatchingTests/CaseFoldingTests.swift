import Matching
import Testing

/// Unicode full case folding without locale (docs/choices.md, 23). Expected values are those of Unicode's
/// CaseFolding.txt, statuses C and F; all scalars were held once against Python's `str.casefold`.
@Suite struct CaseFoldingTests {
    @Test(arguments: [
        ("HELLO wörld", "hello WÖRLD"), ("straße", "STRASSE"), ("straße", "STRAẞE"), ("ẞ", "ß"), ("ẞ", "ss"),
        // Final sigma and sigma are one letter.
        ("ΟΔΥΣΣΕΥΣ", "οδυσσευς"), ("ς", "Σ"), ("ς", "σ"),
        // Ligatures fold to their letters.
        ("ﬁ", "FI"), ("ﬀ", "ff"), ("ﬃ", "FFI"), ("ﬅ", "st"), ("ﬆ", "ﬅ"), ("ﬓ", "մն"), ("և", "եւ"),
        // Cherokee's small letters came later than its capitals: folding goes up, lower-casing goes down.
        ("Ꭰ", "ꭰ"), ("Ᏸ", "ᏸ"),
        // Compatibility letters that fold to plain ones.
        ("\u{212A}", "k"), ("\u{212B}", "å"), ("\u{2126}", "ω"), ("ſ", "S"), ("\u{1E9B}", "Ṡ"), ("\u{B5}", "μ"),
        ("\u{345}", "ι"), ("ŉ", "ʼN"), ("ǰ", "J\u{30C}"), ("\u{390}", "\u{399}\u{308}\u{301}"), ("ᾳ", "αι"),
        ("ᾼ", "ΑΙ"),
        ("Ǆ", "ǅ"), ("ǅ", "ǆ"), ("ϐ", "Β"), ("ᲀ", "В"), ("Ⅷ", "ⅷ"), ("Ⓐ", "ⓐ"), ("𐐀", "𐐨"), ("Ａ", "ａ"),
        // A dotted capital I folds to i and a dot, whatever the locale.
        ("İ", "i\u{307}"), ("İ", "I\u{307}"),
    ])
    func theseAreEqual(left: String, right: String) {
        #expect(CaseFolding.areEqual(left, right))
        #expect(CaseFolding.areEqual(right, left))
        #expect(Array(CaseFolding.folded(left).unicodeScalars) == Array(CaseFolding.folded(right).unicodeScalars))
    }

    @Test(arguments: [
        // The dotless i folds to itself: it is no i, whatever its upper-case letter says.
        ("ı", "i"), ("ı", "I"), ("İ", "i"), ("İ", "ı"), ("ß", "s"), ("ß", "sz"), ("ö", "o"), ("\u{E9}", "e\u{301}"),
        ("\u{C9}", "e\u{301}"), ("ﬁ", "f"), ("a", "b"), ("", "a"), ("a", "a\u{0}"), ("a ", "a"), ("σ", "ο"), ("²", "2"),
        ("①", "1"), ("\u{304C}", "\u{304B}\u{3099}"),
    ])
    func theseAreNot(left: String, right: String) {
        #expect(!CaseFolding.areEqual(left, right))
        #expect(!CaseFolding.areEqual(right, left))
    }

    /// Folding a folded text changes nothing, over every scalar; and every letter equals its upper and lower case where
    /// Unicode defines it simply.
    @Test func foldingIsStable() {
        for value in UInt32(0)...0x1_FFFF {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let text = String(Character(scalar))
            let once = CaseFolding.folded(text)
            guard once.unicodeScalars.first != scalar else { continue }
            #expect(CaseFolding.folded(once).unicodeScalars.elementsEqual(once.unicodeScalars), "\(value)")
        }
    }

    @Test(arguments: [("", ""), ("ABC", "abc"), ("a-Z_0[`{", "a-z_0[`{"), ("\u{0}A\u{7f}", "\u{0}a\u{7f}")])
    func asciiIsFoldedLetterByLetter(text: String, folded: String) { #expect(CaseFolding.folded(text) == folded) }
}
