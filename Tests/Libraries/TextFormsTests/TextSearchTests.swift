import Testing
import TextForms

@Suite struct TextSearchTests {
    @Test(
        arguments: [
            ("a://b", "://", 1), ("://", "://", 0), ("a:/:/", "://", nil), ("a:///", "://", 1), ("", "x", nil),
            ("x", "", 0),
            ("aab", "ab", 1), ("ü: v", ": ", 2), ("ab", "abc", nil), ("e\u{301}x", "x", 3),
        ] as [(String, String, Int?)])
    func `a text is found at its first place`(text: String, other: String, offset: Int?) {
        let place = text.firstPlace(of: other)
        #expect(place.map { text.utf8.distance(from: text.startIndex, to: $0.lowerBound) } == offset)
        #expect(place.map { String(text[$0]) } == (offset == nil ? nil : other))
        #expect(text.holds(other) == (offset != nil))
        #expect(("#" + text).dropFirst().firstPlace(of: other) != nil || offset == nil)
    }

    @Test(arguments: [
        ("a-b-c", "-", "_", "a_b_c"), ("it's", "'", #"'\''"#, #"it'\''s"#), ("aaa", "aa", "b", "ba"),
        ("", "a", "b", ""),
        ("a", "", "b", "a"), ("<&>", "&", "&amp;", "<&amp;>"), ("--", "-", "--", "----"),
    ])
    func `each occurrence is exchanged once`(text: String, old: String, new: String, expected: String) {
        #expect(text.exchanging(old, for: new) == expected)
    }
}
