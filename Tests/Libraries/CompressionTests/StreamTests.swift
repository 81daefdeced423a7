import Compression
import TestSupport
import Testing

@Suite struct StreamTests {
    @Test(arguments: [CompressionFormat.gzip, .zlib], UInt64(1)...12)
    func `pieces of any size give the content again`(format: CompressionFormat, seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let content = Content.make(bytes: 60_000, seed: seed)
        var writer = GzipWriter(format: format)
        var compressed: [UInt8] = []
        var rest = content[...]
        while !rest.isEmpty {
            let piece = rest.prefix(Int.random(in: 0...9_000, using: &random))
            compressed += writer.compress(Array(piece))
            rest = rest.dropFirst(piece.count)
        }
        compressed += writer.finish()
        #expect(try read(compressed, format: format, random: &random) == content)
    }

    @Test func `one byte at a time, into one byte at a time`() throws {
        let content = Content.make(bytes: 500, seed: 2)
        var reader = GzipReader()
        var read: [UInt8] = []
        for byte in Gzip.compress(content) + Gzip.compress(content) {
            reader.append([byte])
            while let piece = try reader.next(maximumBytes: 1) {
                #expect(piece.count == 1)
                read += piece
            }
        }
        try reader.finish()
        #expect(read == content + content)
    }

    @Test func `a piece is never larger than asked for, however much is in the input`() throws {
        var reader = GzipReader()
        reader.append(Gzip.compress([UInt8](repeating: 7, count: 1_000_000)))
        var sizes: [Int] = []
        while let piece = try reader.next(maximumBytes: 1_000) { sizes.append(piece.count) }
        try reader.finish()
        #expect(sizes == [Int](repeating: 1_000, count: 1_000))
    }

    @Test func `flushed bytes can be read before the end`() throws {
        var writer = GzipWriter()
        var reader = GzipReader()
        for line in ["first", "second"] {
            reader.append(writer.compress(Array(line.utf8)) + writer.flush())
            #expect(try reader.next(maximumBytes: 100) == Array(line.utf8))
            #expect(try reader.next(maximumBytes: 100) == nil)
            do throws(CompressionError) {
                try reader.finish()
                Issue.record("complete without an end")
            } catch {
                guard case .truncated = error else {
                    Issue.record("\(error)")
                    return
                }
            }
        }
        reader.append(writer.finish())
        #expect(try reader.next(maximumBytes: 100) == nil)
        try reader.finish()
    }

    @Test func `an error stays`() throws {
        var reader = GzipReader()
        reader.append(Array("no gzip at all".utf8))
        var errors: [CompressionError] = []
        for _ in 0..<2 {
            do throws(CompressionError) {
                _ = try reader.next(maximumBytes: 100)
            } catch {
                errors.append(error)
            }
            reader.append(Gzip.compress([1]))
        }
        do throws(CompressionError) { try reader.finish() } catch { errors.append(error) }
        #expect(errors.count == 3)
        #expect(Set(errors.map(\.description)).count == 1)
    }

    @Test func `each format refuses the other`() throws {
        var writer = GzipWriter(format: .zlib)
        let stream = writer.compress([1, 2, 3]) + writer.finish()
        #expect(stream.first == 0x78)
        #expect(throws: CompressionError.self) { try Gzip.decompress(stream, maximumBytes: 10) }
        var random = SeededGenerator(seed: 1)
        #expect(throws: CompressionError.self) { try read(Gzip.compress([1, 2, 3]), format: .zlib, random: &random) }
        #expect(throws: CompressionError.self) { try read(stream + stream, format: .zlib, random: &random) }
    }

    @Test func `nothing is written after the end`() async {
        await #expect(processExitsWith: .failure) {
            var writer = GzipWriter()
            _ = writer.finish()
            _ = writer.compress([1])
        }
    }

    private func read(
        _ compressed: [UInt8], format: CompressionFormat, random: inout SeededGenerator
    ) throws(CompressionError) -> [UInt8] {
        var reader = GzipReader(format: format)
        var content: [UInt8] = []
        var rest = compressed[...]
        while !rest.isEmpty {
            let chunk = rest.prefix(Int.random(in: 0...5_000, using: &random))
            rest = rest.dropFirst(chunk.count)
            reader.append(Array(chunk))
            // Sometimes the next chunk comes before all of this one was read.
            var pieces = Int.random(in: 0...4, using: &random)
            while pieces > 0 || rest.isEmpty,
                let piece = try reader.next(maximumBytes: Int.random(in: 1...20_000, using: &random))
            {
                content += piece
                pieces -= 1
            }
        }
        try reader.finish()
        return content
    }
}
