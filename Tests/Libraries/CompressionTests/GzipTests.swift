import Compression
import Foundation
import TestSupport
import Testing

@Suite struct GzipTests {
    @Test(arguments: [0, 1, 2, 100, 32_767, 32_768, 32_769, 300_000], UInt64(0)...2)
    func `content survives, at every level and however large`(bytes: Int, seed: UInt64) throws {
        let content = Content.make(bytes: bytes, seed: seed)
        for level in [1, 6, 9] {
            #expect(try Gzip.decompress(Gzip.compress(content, level: level), maximumBytes: bytes) == content)
        }
    }

    /// As Python's gzip module writes it with no time.
    @Test func `a known member is read, and written without a time`() throws {
        let member: [UInt8] = [
            31, 139, 8, 0, 0, 0, 0, 0, 0, 3, 203, 72, 205, 201, 201, 87, 200, 64, 144, 0, 128, 136, 249, 229, 17, 0, 0,
            0,
        ]
        #expect(try Gzip.decompress(member, maximumBytes: 17) == Array("hello hello hello".utf8))
        let ours = Gzip.compress(Array("hello hello hello".utf8))
        #expect(Array(ours[..<4]) == [31, 139, 8, 0])
        #expect(Array(ours[4..<8]) == [0, 0, 0, 0])
        #expect(Gzip.compress(Array("hello hello hello".utf8)) == ours)
    }

    @Test func `the program gzip reads what we write, and we read what it writes`() throws {
        let content = Content.make(bytes: 100_000, seed: 2)
        #expect(try pipe(Gzip.compress(content), through: ["gzip", "-dc"]) == content)
        #expect(try Gzip.decompress(try pipe(content, through: ["gzip", "-c"]), maximumBytes: 100_000) == content)
    }

    @Test func `several members are one content`() throws {
        let parts = (0..<5).map { Content.make(bytes: $0 * 1_000, seed: 2) }
        #expect(
            try Gzip.decompress(Array(parts.map { Gzip.compress($0) }.joined()), maximumBytes: 10_000)
                == Array(parts.joined()))
    }

    @Test(arguments: [0, 1, 65_535, 65_536, 65_537, 999_999])
    func `content over the caller's size is refused`(allowed: Int) {
        let bomb = Gzip.compress([UInt8](repeating: 0, count: 1_000_000))
        #expect(throws: CompressionError.tooLarge(maximumBytes: allowed)) {
            try Gzip.decompress(bomb, maximumBytes: allowed)
        }
    }

    private func pipe(_ bytes: [UInt8], through arguments: [String]) throws -> [UInt8] {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("gzip-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let files = ["in", "out"].map { folder.appendingPathComponent($0) }
        try Data(bytes).write(to: files[0])
        try Data().write(to: files[1])
        let process = ChildProcess(
            "/usr/bin/env", arguments, input: try FileHandle(forReadingFrom: files[0]),
            output: try FileHandle(forWritingTo: files[1]))
        #expect(try process.runToEnd() == 0)
        return [UInt8](try Data(contentsOf: files[1]))
    }
}
