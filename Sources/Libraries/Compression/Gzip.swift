/// Whole contents in memory, compressed and inflated.
package enum Gzip {
    /// The bytes as one gzip member.
    package static func compress(_ bytes: [UInt8], level: Int = 6) -> [UInt8] {
        var writer = GzipWriter(level: level)
        return writer.compress(bytes) + writer.finish()
    }

    /// The content of one or more gzip members.
    ///
    /// Throws `tooLarge` as soon as it has more bytes than allowed: a small file can be a very large content.
    package static func decompress(_ bytes: [UInt8], maximumBytes: Int) throws(CompressionError) -> [UInt8] {
        var reader = GzipReader()
        reader.append(bytes)
        var content: [UInt8] = []
        while let piece = try reader.next(maximumBytes: 65_536) {
            guard content.count + piece.count <= maximumBytes else { throw .tooLarge(maximumBytes: maximumBytes) }
            content += piece
        }
        try reader.finish()
        return content
    }
}
