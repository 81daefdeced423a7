import JSON
import Testing

/// What RFC 8259 forbids, in the manner of the n_ files of JSONTestSuite, and what this module forbids beyond it.
@Suite struct RefusalTests {
    @Test(arguments: [
        "", " ", "\u{feff}", "\u{feff}{}", "[", "]", "{", "}", "[1", "[1,", "[,", "[,1]", "[1,]", "[1,,2]", "[,]",
        "[1 true]", "[1:2]", "1]",
        "[1}", "[1]]", "[1]x", "[] []", "[\"\"", "[\"\",", "[\"a", "[\"a\\", "[\"a\\u", "[\"a\\u00", "[\"a\\ud800",
        "[\"a\\ud800\\", "[\"a\\ud800\\u",
        "[1\n2]", "[inner(1)]", "[*]", "[\u{b}]", "[\u{a0}1]", "[\u{2060}]", "\u{c}", "[\u{c}]", "[\0]", "[1]\0",
        "[\u{1}]",
        "{,}", "{1:1}", "{a:1}", "{'a':1}", "{\"a\"}", "{\"a\":}", "{\"a\":,}", "{\"a\",1}", "{\"a\":1,}",
        "{\"a\":1,,}", "{\"a\":1 \"b\":2}",
        "{\"a\":1}}", "{\"a\" 1}", "{\"a\":1", "{\"a\":1,", "{\"a\":", "{\"a", "{null:null}", "{[]:1}", "{\"a\":1;}",
        "{\"a\":\"b\"}#", "{\"a\":/**/1}",
        "{\"a\":1}//", "{\"a\":1}/**/", "{\"a\":1 1}", "{\"a\"::1}",
        "nul", "nulll", "Null", "NULL", "True", "tru", "truee", "fals", "[nul]", "[tru]", "undefined", "NaN", "[NaN]",
        "Infinity", "-Infinity", "[-NaN]",
        "+1", "++1", "--1", "-", "- 1", "-a", "01", "-01", "00", "012", "1.", "1.e1", "1.a", ".1", "-.1", "1e", "1e+",
        "1e-", "1ea", "1eE2", "0e", "0e+", "0.e1",
        "0x1", "0x42", "1_000", "1+2", "1 000.0", "0.1.2", "0.3e", "0.3e+", "2.e3", "2.e-3", "9.e+",
        "1.8011670033376514H-308", "-1x", "１", "1a",
        "'a'", "\"", "\"a", "\"\\", "\"\\\"", "\"\\a\"", "\"\\x00\"", "\"\\U0041\"", "\"\\u\"", "\"\\u1\"", "\"\\u12\"",
        "\"\\u123\"", "\"\\uqqqq\"",
        "\"\\u00A\"", "\"\\u-001\"", "\"\n\"", "\"\t\"", "\"\u{1f}\"", "\"\0\"", "\"\\\u{1f300}\"", "\"\\\n\"",
        "\"a\" \"b\"", "a", "<.>", "[<null>]",
        "\"\\ud800\"", "\"\\udc00\"", "\"\\ud800a\"", "\"\\ud800\\n\"", "\"\\ud800\\u0041\"", "\"\\ud800\\ud800\"",
        "\"\\uDd1e\\uD834\"", "\"\\uDFAA\"",
        "{\"a\":1,\"a\":1}", "{\"a\":1,\"\\u0061\":2}", "{\"x\":{\"b\":1,\"c\":2,\"b\":3}}",
        "9223372036854775808", "-9223372036854775809", "100000000000000000000", "18446744073709551616",
        "-100000000000000000000000000",
        "1e400", "-1e400", "1e309", "1.7976931348623159e308", "1e99999999999999999999999", "123456789e9999",
    ])
    func `texts that are none are refused within their bytes`(text: String) {
        do throws(JSONError) {
            let value = try parse(text)
            Issue.record("accepted as \(value)")
        } catch {
            #expect((0...text.utf8.count).contains(error.byteOffset))
        }
    }

    @Test(
        arguments: [
            [0xff], [0x80], [0xc0, 0x80], [0xc3], [0xc3, 0x28], [0xe2, 0x82], [0xe2, 0x28, 0xa1], [0xed, 0xa0, 0x80],
            [0xed, 0xbf, 0xbf],
            [0xf0, 0x80, 0x80, 0x80], [0xf0, 0x9d, 0x84], [0xf4, 0x90, 0x80, 0x80], [0xf8, 0x88, 0x80, 0x80, 0x80],
            [0xfc, 0x80, 0x80, 0x80, 0x80, 0x80],
            [0xef, 0xbf], [0x61, 0xe5], [0xc3, 0x5c, 0x6e, 0xa9],
        ] as [[UInt8]])
    func `strings and keys that are not UTF-8 are refused`(content: [UInt8]) {
        let quote = UInt8(ascii: "\"")
        for wrapped in [content, Array("a\\n".utf8) + content, content + Array("12345678".utf8)] {
            #expect(throws: JSONError.self) { try JSONValue(parsing: [quote] + wrapped + [quote]) }
            let object = Array("{\"".utf8) + wrapped + Array("\":1}".utf8)
            #expect(throws: JSONError.self) { try JSONValue(parsing: object) }
        }
        #expect(throws: JSONError.self) { try JSONValue(parsing: content) }
        #expect(throws: JSONError.self) { try JSONValue(parsing: Array("[1".utf8) + content + Array("]".utf8)) }
    }

    @Test(arguments: [
        ("", 0, 1, 1, "the text ends where a value is expected"),
        ("[1,\n 2,\n xyz]", 9, 3, 2, "'x' where a value is expected"),
        ("{\"ä\": \"ö\", 5}", 13, 1, 12, "'5' where a key is expected"),
        ("{\"a\": 1,\n \"b\": 2, \"a\": 3}", 18, 2, 10, "the object has the key \"a\" twice"),
        ("[1] 2", 4, 1, 5, "there is more after the value"),
        (
            "[9223372036854775808]", 1, 1, 2,
            "an integer beyond 64 bits; with a fraction or an exponent it would be a double"
        ),
        ("[1e400]", 1, 1, 2, "a number beyond the range of doubles"),
        ("[01]", 2, 1, 3, "a number begins with 0"),
        ("[-]", 2, 1, 3, "']' where a digit is expected"),
        ("\"ab\\ud800\"", 3, 1, 4, "half of a surrogate pair"),
        ("\"ab\\q\"", 3, 1, 4, "a backslash before what needs none"),
        ("\"ab\u{1}\"", 3, 1, 4, "a control character in a string, which needs a backslash"),
        ("[\"ab", 1, 1, 2, "the text ends in a string"),
        ("[\"\\u12g4\"]", 6, 1, 7, "'g' where a hexadecimal digit is expected"),
        ("[trie]", 1, 1, 2, "'t' where true is expected"),
        ("[1 2]", 3, 1, 4, "'2' where a comma or a closing bracket is expected"),
        ("{\"a\" 2}", 5, 1, 6, "'2' where a colon is expected"),
        ("[\u{1}]", 1, 1, 2, "byte 1 where a value is expected"),
        ("\u{feff}1", 0, 1, 1, "the text begins with a byte order mark"),
    ])
    func `an error says where and what`(text: String, byteOffset: Int, line: Int, column: Int, message: String) {
        let error = #expect(throws: JSONError.self) { try parse(text) }
        #expect(error?.byteOffset == byteOffset)
        #expect(error?.line == line)
        #expect(error?.column == column)
        #expect(error?.message == message)
        #expect(error?.description == "line \(line), column \(column) (byte \(byteOffset)): \(message)")
    }
}
