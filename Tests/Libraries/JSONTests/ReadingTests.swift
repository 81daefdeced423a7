import Foundation
import JSON
import TestSupport
import Testing

/// What RFC 8259 allows, in the manner of the y_ files of JSONTestSuite.
@Suite struct ReadingTests {
    @Test(
        arguments: [
            ("[]", []), ("{}", [:]), (" \n\r\t[ ] ", []), ("null", nil), ("true", true), ("false", false),
            ("\"\"", ""), ("[1,2]", [1, 2]), ("[1\n,2 ]", [1, 2]), ("[null, 1, \"1\", {}]", [nil, 1, "1", [:]]),
            ("{\"a\":[{\"b\":null}]}", ["a": [["b": nil]]]), ("{ \"a\" : 1 , \"b\" : 2 }", ["a": 1, "b": 2]),
            ("{\"\":0}", ["": 0]), ("{\"foo\\u0000bar\": 42}", ["foo\0bar": 42]), ("[[]   ]", [[]]),
        ] as [(String, JSONValue)])
    func `structures are read`(text: String, value: JSONValue) throws {
        #expect(try parse(text) == value)
    }

    @Test(arguments: [
        ("\\u0060\\u012a\\u12AB", "`Īካ"), ("\\uD801\\udc37", "\u{10437}"), ("\\ud83d\\ude39\\ud83d\\udc8d", "😹💍"),
        ("\\\"\\\\\\/\\b\\f\\n\\r\\t", "\"\\/\u{8}\u{c}\n\r\t"), ("\\\\u0000", "\\u0000"),
        ("a/*b*/c/*d//e", "a/*b*/c/*d//e"),
        ("\\\\a", "\\a"), ("\\u0012", "\u{12}"), ("\\uFFFF", "\u{ffff}"), ("\u{ffff}", "\u{ffff}"), ("€𝄞", "€𝄞"),
        ("\u{7f}", "\u{7f}"), ("\u{2028}\u{2029}", "\u{2028}\u{2029}"), ("\\uDBFF\\uDFFF", "\u{10ffff}"),
        ("\\u0000", "\0"),
        ("e\u{301} \\u00e9", "e\u{301} é"), ("12345678\\n12345678ü12345678\\\"", "12345678\n12345678ü12345678\""),
    ])
    func `strings are read`(content: String, string: String) throws {
        let read = try #require(try parse("\"\(content)\"").string)
        #expect(Array(read.utf8) == Array(string.utf8))
    }

    /// A string's end, an escape and a wide character at every place of the eight bytes that are looked at at once.
    @Test(arguments: 0..<40)
    func `the place of special characters does not matter`(count: Int) throws {
        let plain = String(repeating: "x", count: count)
        for (written, meant) in [
            ("", ""), ("\\n", "\n"), ("ü", "ü"), ("\\\\", "\\"), ("😀", "😀"), ("\u{7f}", "\u{7f}"), ("!#", "!#"),
        ] {
            for tail in ["", "y", "12345678ü"] {
                let read = try parse("\"\(plain)\(written)\(tail)\"")
                #expect(read == .string(plain + meant + tail))
            }
            #expect(throws: JSONError.self) { try parse("\"\(plain)\(written)\u{1}12345678\"") }
        }
    }

    @Test(
        arguments: [
            ("0", 0), ("-0", 0), ("1", 1), ("-1", -1), ("20", 20), ("9223372036854775807", .max),
            ("-9223372036854775808", .min),
            ("1000000000000000000", 1_000_000_000_000_000_000),
        ] as [(String, Int64)])
    func `a number without fraction and exponent is an integer`(text: String, value: Int64) throws {
        #expect(try parse(text) == .integer(value))
        #expect(try parse("[\(text) ]") == [.integer(value)])
    }

    @Test(
        arguments: [
            ("1.0", 1), ("0.1", 0.1), ("-0.0", -0.0), ("1E5", 100_000), ("1e+2", 100), ("123.456e-3", 0.123456),
            ("0e1", 0),
            ("0E+1", 0), ("-1.5", -1.5), ("123e65", 123e65), ("1.7976931348623157e308", .greatestFiniteMagnitude),
            ("4.9e-324", .leastNonzeroMagnitude), ("5e-324", .leastNonzeroMagnitude), ("1e-400", 0),
            ("1e-99999999999999999999", 0), ("0e99999999999999999999", 0),
            ("2.2250738585072011e-308", Double(bitPattern: 0xf_ffff_ffff_ffff)),
            ("9007199254740993.0", 9_007_199_254_740_992),
            ("9007199254740993.00000000000000001", 9_007_199_254_740_994),
            ("9223372036854775808.0", 9_223_372_036_854_775_808),
            ("100000000000000000000000000000000000000e-30", 1e8), ("0.000000000000000000000000000001e30", 1),
            ("1e22", 1e22), ("1e23", 1e23),
            ("8.5e22", 8.5e22), ("179769313486231570e291", 1.7976931348623157e308), ("0.30000000000000004", 0.1 + 0.2),
        ] as [(String, Double)])
    func `a number with a fraction or an exponent is a double`(text: String, value: Double) throws {
        let read = try #require(try parse(text).double)
        #expect(read.bitPattern == value.bitPattern)
    }

    @Test func `doubles are rounded as the C library rounds them`() throws {
        var random = SeededGenerator(seed: 1)
        for _ in 0..<20_000 {
            let digits = (0..<Int.random(in: 1...20, using: &random)).map { _ in
                "\(Int.random(in: 0...9, using: &random))"
            }.joined()
            let text =
                "\(Int.random(in: 1...9, using: &random)).\(digits)e\(Int.random(in: -320...300, using: &random))"
            #expect(try parse(text).double?.bitPattern == strtod(text, nil).bitPattern, "\(text)")
        }
    }

    @Test func `two million values are read and one more is not`() throws {
        // The array itself is one.
        let zeros = String(repeating: "0,", count: JSONValue.valuesMax - 2)
        #expect(try parse("[\(zeros)0]").array?.count == JSONValue.valuesMax - 1)
        #expect(throws: JSONError.self) { try parse("[\(zeros)0,0]") }
    }

    @Test func `64 levels are read and 65 are not`() throws {
        func nested(_ depth: Int) -> String {
            String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        }
        #expect(try parse(nested(64)).serialized() == Array(nested(64).utf8))
        let error = #expect(throws: JSONError.self) { try parse(nested(65)) }
        #expect(error?.byteOffset == 64)
        #expect(throws: JSONError.self) { try parse(String(repeating: "{\"a\":[", count: 50_000)) }
        #expect(try parse("[\(Array(repeating: nested(63), count: 3).joined(separator: ","))]").array?.count == 3)
    }

    @Test func `bytes that are no array are read`() throws {
        #expect(try Array("[1]".utf8).withUnsafeBytes { try JSONValue(parsing: $0) } == [1])
        #expect(throws: JSONError.self) { try JSONValue(parsing: UnsafeRawBufferPointer(start: nil, count: 0)) }
    }
}

func parse(_ text: String) throws(JSONError) -> JSONValue { try JSONValue(parsing: Array(text.utf8)) }
