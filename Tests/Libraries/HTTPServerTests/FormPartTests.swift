import TestSupport
import Testing

@testable import HTTPServer

@Suite struct FormPartTests {
    private func part(_ text: String, inPiecesOf size: Int, boundary: String = "b") throws -> (String, isOver: Bool) {
        var part = try #require(try FormPart(contentType: "multipart/form-data; boundary=\(boundary)"))
        var contents: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            contents += try part.take(rest.prefix(size))
            rest = rest.dropFirst(size)
        }
        return (String(decoding: contents, as: UTF8.self), part.isOver)
    }

    @Test("the first part is found, however the body is cut into pieces", arguments: 1...40)
    func pieces(size: Int) throws {
        for (text, expected) in [
            ("--b\r\nA: b\r\n\r\nhello\r\n--b--\r\n", "hello"), ("--b\r\n\r\nhello\r\n--b--", "hello"),
            ("--b  \r\nA: b\r\n\r\n\r\n--b--", ""),
            ("preamble\r\n--b\r\nA: b\r\n\r\none\r\n--b\r\n\r\ntwo\r\n--b--", "one"),
            ("--b\r\nA: b\r\n\r\na\r\n--\r\n-b\r\r\n\r\n--b--\r\nepilogue", "a\r\n--\r\n-b\r\r\n"),
        ] {
            let found = try part(text, inPiecesOf: size)
            #expect(found.0 == expected && found.isOver, "\(text.debugDescription)")
        }
    }

    @Test("a form that does not end has no end")
    func unended() throws {
        for text in ["", "--b", "--b\r\n", "--b\r\nA: b\r\n\r\n", "--b\r\nA: b\r\n\r\nhello\r\n--", "hello"] {
            #expect(try !part(text, inPiecesOf: 3).isOver, "\(text)")
        }
    }

    @Test("what is no form is refused as soon as it is seen", arguments: ["--b--\r\n", "--bc\r\n\r\nx\r\n--b--"])
    func malformed(text: String) {
        #expect(throws: HTTPRefusal.malformedForm) { try part(text, inPiecesOf: 5) }
    }

    @Test("a head without end takes no memory without end")
    func longHeads() {
        for start in ["", "--b\r\n"] {
            #expect(throws: HTTPRefusal.malformedForm) {
                try part(start + String(repeating: "x", count: 20_000), inPiecesOf: 1000)
            }
        }
    }

    @Test("the boundary is read as clients write it")
    func boundaries() throws {
        for type in [
            "multipart/form-data; boundary=b", "Multipart/Form-Data;boundary=\"b\"",
            "multipart/form-data; charset=utf-8; Boundary=b ",
        ] {
            var part = try #require(try FormPart(contentType: type))
            #expect(try part.take(Array("--b\r\n\r\nx\r\n--b--".utf8)) == Array("x".utf8), "\(type)")
        }
        for type in ["image/png", "", "text/plain; boundary=b"] { #expect(try FormPart(contentType: type) == nil) }
        #expect(try FormPart(contentType: nil) == nil)
        for type in ["multipart/form-data", "multipart/form-data; boundary=", "multipart/form-data; boundary=\"\""] {
            #expect(throws: HTTPRefusal.malformedForm) { try FormPart(contentType: type) }
        }
    }

    @Test("bytes at random come through whole, by seed")
    func random() throws {
        var random = SeededGenerator(seed: 5)
        for _ in 0..<200 {
            let alphabet = Array("\r\n-bc".utf8)
            let bytes = (0..<Int.random(in: 0...60, using: &random)).map { _ in alphabet.randomElement(using: &random)!
            }
            let text = String(decoding: bytes, as: UTF8.self)
            guard !("\r\n" + text + "\r").contains("\r\n--b") else { continue }
            let found = try part("--b\r\n\r\n\(text)\r\n--b--", inPiecesOf: Int.random(in: 1...9, using: &random))
            #expect(found.0 == text && found.isOver, "\(text.debugDescription)")
        }
    }
}
