import CZlib

/// Decompresses content that comes in pieces, into pieces of a bounded size.
///
///     while let chunk = try file.read() {
///         reader.append(chunk)
///         while let piece = try reader.next(maximumBytes: 65_536) { … }
///     }
///     try reader.finish()
///
/// The output is valid only after `finish()` returns: the checksum is at the end of each member. After an error the
/// reader throws the same error again.
package struct GzipReader: ~Copyable, Sendable {
    private let format: CompressionFormat
    private var stream: ZlibStream
    private var bytesRead = 0
    private var atMemberEnd = false
    private var failure: CompressionError?

    /// A reader at the beginning of a content.
    package init(format: CompressionFormat = .gzip) {
        self.format = format
        stream = ZlibStream(inflating: format)
    }

    /// Adds the next compressed bytes, however the content was cut. Nothing is decompressed yet.
    package mutating func append(_ chunk: [UInt8]) { stream.append(chunk) }

    /// The next bytes of the content, at least one and at most so many; nil if it takes more input to go on.
    package mutating func next(maximumBytes: Int) throws(CompressionError) -> [UInt8]? {
        precondition(maximumBytes > 0, "a piece has at least one byte")
        if let failure { throw failure }
        do throws(CompressionError) {
            return try inflated(maximumBytes: maximumBytes)
        } catch {
            failure = error
            throw error
        }
    }

    /// Throws if the content is not complete; call it when there is no more input and `next` gave nil.
    package func finish() throws(CompressionError) {
        if let failure { throw failure }
        guard atMemberEnd, stream.inputBytes == 0 else { throw .truncated(byteOffset: bytesRead + stream.inputBytes) }
    }

    private mutating func inflated(maximumBytes: Int) throws(CompressionError) -> [UInt8]? {
        while true {
            if atMemberEnd {
                if stream.inputBytes == 0 { return nil }
                try beginNextMember()
            }
            let before = stream.inputBytes
            let (code, output) = stream.step(maximumBytes: maximumBytes) { inflate($0, Z_NO_FLUSH) }
            bytesRead += before - stream.inputBytes
            switch code {
            case Z_STREAM_END: atMemberEnd = true
            // Without progress zlib calls it an error; it wants more input.
            case Z_OK, Z_BUF_ERROR: break
            case Z_NEED_DICT: throw corrupt("it needs a dictionary")
            case Z_DATA_ERROR: throw corrupt(stream.reason)
            default: fatalError("zlib cannot decompress: error \(code)")
            }
            if !output.isEmpty { return output }
            if !atMemberEnd { return nil }
        }
    }

    private mutating func beginNextMember() throws(CompressionError) {
        guard format == .gzip else { throw corrupt("there is more after the stream") }
        ZlibStream.require(inflateReset(stream.state))
        atMemberEnd = false
    }

    private func corrupt(_ reason: String) -> CompressionError { .corrupt(reason: reason, byteOffset: bytesRead) }
}
