import Compression
import Foundation
import TestSupport
import Testing

@testable import Operations

/// Lines of files, plain and compressed.
@Suite struct LineReaderTests {
    private func lines(_ bytes: [UInt8]) throws -> (lines: [String], fileBytes: Int, bytesRead: Int) {
        let folder = TemporaryFolder()
        try Data(bytes).write(to: URL(fileURLWithPath: folder.path("lines")))
        let reader = try LineReader(path: folder.path("lines"))
        var lines: [String] = []
        while let line = try reader.next() { lines.append(String(decoding: line, as: UTF8.self)) }
        #expect(try reader.next() == nil, "the end stays the end")
        return (lines, reader.fileBytes, reader.bytesRead)
    }

    @Test(arguments: [
        ("", []), ("\n", [""]), ("a", ["a"]), ("a\n", ["a"]), ("a\nb", ["a", "b"]), ("a\n\nb\n", ["a", "", "b"]),
    ])
    func `lines end with a line feed, the last one without, too`(text: String, expected: [String]) throws {
        #expect(try lines(Array(text.utf8)).lines == expected)
    }

    @Test func `a line may be longer than a piece`() throws {
        let long = String(repeating: "x", count: 700_000)
        let found = try lines(Array("a\n\(long)\nb\n\(long)".utf8))
        #expect(found.lines == ["a", long, "b", long])
        #expect(found.fileBytes == 1_400_005 && found.bytesRead == found.fileBytes)
    }

    @Test func `compressed lines are read as plain ones, and progress counts bytes of the file`() throws {
        let text = (0..<50_000).map { "line \($0)" }.joined(separator: "\n")
        let compressed = Gzip.compress(Array(text.utf8))
        let found = try lines(compressed)
        #expect(found.lines.count == 50_000 && found.lines.last == "line 49999")
        #expect(found.bytesRead == compressed.count)
    }

    @Test func `a compressed file that is cut short is an error`() throws {
        let compressed = Gzip.compress(Array(String(repeating: "abc\n", count: 1000).utf8))
        #expect(throws: (any Error).self) { try lines(Array(compressed.dropLast(9))) }
    }

    @Test func `a file that is not there is named`() {
        let error = #expect(throws: ImportError.self) { try LineReader(path: "/nowhere/at-all") }
        #expect(error?.description.contains("/nowhere/at-all cannot be opened") == true)
    }
}
