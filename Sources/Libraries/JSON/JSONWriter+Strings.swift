extension JSONWriter {
    /// Writes a string in quotes, with a backslash only where JSON wants one.
    mutating func quoted(_ string: String) {
        bytes.append(UInt8(ascii: "\""))
        var copy = string
        copy.withUTF8 { content in
            let end = Self.plainEnd(of: content, from: 0)
            if end == content.count {
                bytes.append(contentsOf: content)
            } else {
                escaped(content, from: end)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    /// Writes a string of which one byte, the first such, needs a backslash.
    private mutating func escaped(_ content: UnsafeBufferPointer<UInt8>, from first: Int) {
        var run = 0
        var index = first
        while index < content.count {
            bytes.append(contentsOf: UnsafeBufferPointer(rebasing: content[run..<index]))
            escape(content[index])
            run = index + 1
            index = Self.plainEnd(of: content, from: run)
        }
        bytes.append(contentsOf: UnsafeBufferPointer(rebasing: content[run...]))
    }

    /// The place of the first byte from one on that cannot stand as it is, or the end; looks at eight at a time.
    private static func plainEnd(of content: UnsafeBufferPointer<UInt8>, from first: Int) -> Int {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let highs = ones << 7
        let raw = UnsafeRawBufferPointer(content)
        var index = first
        while content.count - index >= 8 {
            let word = UInt64(littleEndian: raw.loadUnaligned(fromByteOffset: index, as: UInt64.self))
            let quotes = word ^ (ones &* UInt64(UInt8(ascii: "\"")))
            let backslashes = word ^ (ones &* UInt64(UInt8(ascii: "\\")))
            // Subtracting sets the high bit of a byte that is too small, and perhaps of those above it, as in reading:
            // the lowest one, which counts, is right. Bytes that have it themselves are not meant.
            let small = (word &- ones &* 0x20) & ~word
            let hits = (small | ((quotes &- ones) & ~quotes) | ((backslashes &- ones) & ~backslashes)) & highs
            if hits != 0 { return index + hits.trailingZeroBitCount / 8 }
            index += 8
        }
        while index < content.count, !needsEscape(content[index]) { index += 1 }
        return index
    }

    private static func needsEscape(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }

    private mutating func escape(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes.append(contentsOf: [UInt8(ascii: "\\"), byte])
        case UInt8(ascii: "\n"): bytes.append(contentsOf: "\\n".utf8)
        case UInt8(ascii: "\r"): bytes.append(contentsOf: "\\r".utf8)
        case UInt8(ascii: "\t"): bytes.append(contentsOf: "\\t".utf8)
        default:
            let digits = Array("0123456789abcdef".utf8)
            bytes.append(contentsOf: "\\u00".utf8)
            bytes.append(contentsOf: [digits[Int(byte >> 4)], digits[Int(byte & 15)]])
        }
    }
}
