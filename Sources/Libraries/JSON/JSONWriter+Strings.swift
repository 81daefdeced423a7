extension JSONWriter {
    /// Writes a string in quotes, with a backslash only where JSON wants one.
    mutating func quoted(_ string: String) {
        bytes.append(UInt8(ascii: "\""))
        var copy = string
        copy.withUTF8 { content in
            var run = 0
            for index in content.indices where Self.needsEscape(content[index]) {
                bytes.append(contentsOf: content[run..<index])
                escape(content[index])
                run = index + 1
            }
            bytes.append(contentsOf: content[run...])
        }
        bytes.append(UInt8(ascii: "\""))
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
