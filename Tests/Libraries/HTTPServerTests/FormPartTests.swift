import TestSupport
import Testing

@testable import HTTPServer

@Suite struct FormPartTests {
    private func part(_ text: String, inPiecesOf size: Int, boundary: String = "b") throws -> (String, isOver: Bool) {
        var part = try #require(try FormPart(contentType: "multipart/form-data; boundary=\(boundary)"))
        var contents: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let taken = try part.take(rest.prefix(size))
            if taken.restarts { contents = [] }
            contents += taken.bytes
            rest = rest.dropFirst(size)
        }
        return (String(decoding: contents, as: UTF8.self), part.isOver)
    }

    @Test("the file is found, however the body is cut into pieces", arguments: 1...40)
    func pieces(size: Int) throws {
        for (text, expected) in [
            ("--b\r\nA: b\r\n\r\nhello\r\n--b--\r\n", "hello"), ("--b\r\n\r\nhello\r\n--b--", "hello"),
            ("--b  \r\nA: b\r\n\r\n\r\n--b--", ""),
            ("preamble\r\n--b\r\nA: b\r\n\r\none\r\n--b\r\n\r\ntwo\r\n--b--", "one"),
            ("--b\r\nA: b\r\n\r\na\r\n--\r\n-b\r\r\n\r\n--b--\r\nepilogue", "a\r\n--\r\n-b\r\r\n"),
            ("--b\r\n\r\nfield\r\n--b\r\n\(file("x"))\r\n\r\nfile\r\n--b--\r\n", "file"),
            ("--b\r\n\(file("x"))\r\n\r\nfile\r\n--b\r\n\(file("y"))\r\n\r\nother\r\n--b--", "file"),
            ("--b\r\n\r\none\r\n--b\r\n\(file("x"))\r\n\r\n\r\n--b\r\n\r\nlast\r\n--b--", ""),
        ] {
            let found = try part(text, inPiecesOf: size)
            #expect(found.0 == expected && found.isOver, "\(text.debugDescription)")
        }
    }

    private func file(_ name: String) -> String { "content-disposition: form-data; name=f; filename=\"\(name)\"" }

    @Test(
        "a part is a file's if its disposition says so",
        arguments: [
            ("Content-Disposition: form-data; name=\"f\"; filename=\"a\"", true),
            ("Content-Type: a/b\r\ncontent-disposition:form-data;FileName=a", true),
            ("Content-Disposition: form-data; filename*=UTF-8''a", true),
            ("Content-Disposition: form-data; name=\"f\"", false), ("", false),
            ("Content-Type: a/b; filename=a", false),
            ("Content-Disposition: form-data; name=\"a;filename=b\"", false),
            ("Content-Disposition: form-data; name=\"a\\\";filename=b\"", false),
        ])
    func fileNames(head: String, isFile: Bool) {
        #expect(FormHead(head.utf8).hasFileName == isFile)
    }

    @Test("a form that does not end has no end")
    func unended() throws {
        for text in [
            "", "--b", "--b\r\n", "--b\r\nA: b\r\n\r\n", "--b\r\nA: b\r\n\r\nhello\r\n--", "hello",
            "--b\r\n\r\nhello\r\n--b", "--b\r\n\r\nhello\r\n--b-", "--b\r\n\r\nhello\r\n--b\r\n",
            "--b\r\n\r\nhello\r\n--b\r\nA: b\r\n\r\nmore",
        ] {
            #expect(try !part(text, inPiecesOf: 3).isOver, "\(text)")
        }
    }

    @Test(
        "a body that is no form is refused as soon as it is seen",
        arguments: [
            "--b--\r\n", "--bc\r\n\r\nx\r\n--b--", "--b\r\n\r\nx\r\n--bc\r\ny\r\n--b--", "--b\r\n\r\nx\r\n--b--c",
            "--b\r\n\r\nx\r\n--b c\r\n\r\n--b--",
        ])
    func malformed(text: String) {
        #expect(throws: HTTPRefusal.malformedForm) { try part(text, inPiecesOf: 5) }
    }

    @Test("parts without end are refused")
    func manyParts() throws {
        func form(_ count: Int) -> String { String(repeating: "--b\r\n\r\nx\r\n", count: count) + "--b--" }
        #expect(try part(form(1000), inPiecesOf: 700).isOver)
        #expect(throws: HTTPRefusal.malformedForm) { try part(form(1001), inPiecesOf: 700) }
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
            #expect(try part.take(Array("--b\r\n\r\nx\r\n--b--".utf8)).bytes == Array("x".utf8), "\(type)")
        }
        for type in ["image/png", "", "text/plain; boundary=b"] { #expect(try FormPart(contentType: type) == nil) }
        #expect(try FormPart(contentType: nil) == nil)
        for type in [
            "multipart/form-data", "multipart/form-data; boundary=", "multipart/form-data; boundary=\"\"",
            "multipart/mixed; boundary=b", "Multipart/Related; boundary=b", "multipart/form-data-x; boundary=b",
        ] {
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
