import CZlib

/// Compresses content that comes in pieces. The same pieces give the same bytes: no time and no name is written.
package struct GzipWriter: ~Copyable, Sendable {
    private var stream: ZlibStream
    private var isFinished = false

    /// A writer at the beginning of a content; levels go from 1, fast, to 9, small.
    package init(format: CompressionFormat = .gzip, level: Int = 6) {
        precondition((1...9).contains(level), "levels go from 1 to 9")
        stream = ZlibStream(deflating: format, level: level)
    }

    /// Takes the next piece; gives what zlib has compressed of all so far, often nothing.
    package mutating func compress(_ piece: [UInt8]) -> [UInt8] { deflated(piece, Z_NO_FLUSH) }

    /// Returns the rest of the output for the bytes written so far; costs some compression.
    package mutating func flush() -> [UInt8] { deflated([], Z_SYNC_FLUSH) }

    /// Gives the rest, with the checksum; nothing can be written after it.
    package mutating func finish() -> [UInt8] {
        defer { isFinished = true }
        return deflated([], Z_FINISH)
    }

    private mutating func deflated(_ piece: [UInt8], _ mode: CInt) -> [UInt8] {
        precondition(!isFinished, "nothing is written after finish()")
        stream.append(piece)
        var compressed: [UInt8] = []
        while true {
            let (code, output) = stream.step(maximumBytes: 32_768) { deflate($0, mode) }
            compressed += output
            switch code {
            case Z_STREAM_END: return compressed
            // A full buffer means that there is more; zlib says "no progress" when there was not.
            case Z_OK where output.count == 32_768: continue
            case Z_OK where stream.inputBytes > 0: continue
            case Z_OK, Z_BUF_ERROR: return compressed
            default: fatalError("zlib cannot compress: error \(code)")
            }
        }
    }
}
