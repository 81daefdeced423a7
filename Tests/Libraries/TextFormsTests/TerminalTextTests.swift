import Testing

@testable import TextForms

@Suite struct TerminalTextTests {
    @Test("every control, format and separator is escaped, and nothing else is changed")
    func everyScalar() {
        for value in UInt32(0)...0x10FFFF {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let text = String(Character(scalar))
            let escaped = TerminalText.escaped(text)
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator:
                #expect(escaped.utf8.allSatisfy { (0x21...0x7E).contains($0) } && escaped.hasPrefix("\\u"), "\(value)")
            default:
                if escaped != text || escaped.unicodeScalars.count != 1 { Issue.record("\(value) was changed") }
            }
        }
    }

    @Test(
        "what a terminal obeys is shown",
        arguments: [
            ("a\nb", #"a\u000ab"#), ("\u{1b}]0;x\u{7}", #"\u001b]0;x\u0007"#), ("\u{9b}2J", #"\u009b2J"#),
            ("\r\n", #"\u000d\u000a"#), ("\u{7f}", #"\u007f"#), ("\u{202e}abc\u{2069}", #"\u202eabc\u2069"#),
            ("\u{2028}\u{2029}", #"\u2028\u2029"#), ("\u{61c}\u{200f}", #"\u061c\u200f"#),
            ("e\u{301}\u{1b}", "e\u{301}" + #"\u001b"#), ("\u{e0041}", #"\udb40\udc41"#), ("é 😀", "é 😀"), ("", ""),
        ])
    func examples(text: String, shown: String) {
        #expect(TerminalText.escaped(text) == shown)
        #expect(TerminalText.escaped(shown) == shown, "a second time changes nothing")
    }
}
