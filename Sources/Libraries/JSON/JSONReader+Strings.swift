extension JSONReader {
    /// Reads a string, at whose opening quote the reader is.
    mutating func string() throws(JSONError) -> String {
        let first = position
        position += 1
        var isASCII = true
        while true {
            skipPlain()
            switch next {
            case UInt8(ascii: "\""):
                let content = UnsafeRawBufferPointer(start: start + first + 1, count: position - first - 1)
                position += 1
                if isASCII { return String(ascii: content) }
                guard let string = String(utf8: content) else { throw notUTF8(first: first) }
                return string
            case UInt8(ascii: "\\"): return try stringWithEscapes(first: first)
            case 0x80...:
                isASCII = false
                while next >= 0x80 { position += 1 }
            default: throw endOrControl(first: first)
            }
        }
    }

    /// Reads on in a string from its first escape, gathering it in memory of its own.
    private mutating func stringWithEscapes(first: Int) throws(JSONError) -> String {
        var content: [UInt8] = []
        var run = first + 1
        while true {
            skipPlain()
            while next >= 0x80 { position += 1 }
            switch next {
            case UInt8(ascii: "\""):
                content += text[run..<position]
                position += 1
                guard let string = content.withUnsafeBytes({ String(utf8: $0) }) else { throw notUTF8(first: first) }
                return string
            case UInt8(ascii: "\\"):
                content += text[run..<position]
                content += String(try escape()).utf8
                run = position
            case 0x20..<0x80: break
            default: throw endOrControl(first: first)
            }
        }
    }

    /// Passes over bytes that mean themselves, eight at a time; stops at a quote, a backslash, a control character or
    /// a byte outside ASCII.
    private mutating func skipPlain() {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let highs = ones << 7
        while end - position >= 8 {
            let word = UInt64(littleEndian: start.loadUnaligned(fromByteOffset: position, as: UInt64.self))
            let quotes = word ^ (ones &* UInt64(UInt8(ascii: "\"")))
            let backslashes = word ^ (ones &* UInt64(UInt8(ascii: "\\")))
            // Subtracting sets the high bit of a byte that is too small, and perhaps of those above it: the lowest
            // one, which counts, is right.
            let hits = (word | (word &- ones &* 0x20) | (quotes &- ones) | (backslashes &- ones)) & highs
            if hits != 0 {
                position += hits.trailingZeroBitCount / 8
                return
            }
            position += 8
        }
        while position < end {
            let byte = byte(at: position)
            if byte < 0x20 || byte >= 0x80 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { return }
            position += 1
        }
    }

    private mutating func escape() throws(JSONError) -> Unicode.Scalar {
        let first = position
        position += 1
        let letter = next
        position += 1
        switch letter {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(letter)
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{c}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"): return try unicodeEscape(first: first)
        default: throw error("a backslash before what needs none", at: first)
        }
    }

    private mutating func unicodeEscape(first: Int) throws(JSONError) -> Unicode.Scalar {
        let unit = try hexadecimal()
        if let scalar = Unicode.Scalar(unit) { return scalar }
        guard unit < 0xdc00, take(UInt8(ascii: "\\")), take(UInt8(ascii: "u")) else {
            throw error("half of a surrogate pair", at: first)
        }
        let second = try hexadecimal()
        let scalar = Unicode.Scalar(0x10000 + ((UInt32(unit) & 0x3ff) << 10 | UInt32(second) & 0x3ff))
        guard (0xdc00..<0xe000).contains(second), let scalar else {
            throw error("half of a surrogate pair", at: first)
        }
        return scalar
    }

    private mutating func hexadecimal() throws(JSONError) -> UInt16 {
        var value: UInt16 = 0
        for _ in 0..<4 {
            let digit: UInt8
            switch next {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = next & 0x0f
            case UInt8(ascii: "a")...UInt8(ascii: "f"), UInt8(ascii: "A")...UInt8(ascii: "F"): digit = next & 0x0f + 9
            default: throw unexpected("a hexadecimal digit")
            }
            value = value << 4 | UInt16(digit)
            position += 1
        }
        return value
    }

    private func endOrControl(first: Int) -> JSONError {
        position < end
            ? error("a control character in a string, which needs a backslash")
            : error("the text ends in a string", at: first)
    }

    private func notUTF8(first: Int) -> JSONError { error("a string that is not UTF-8", at: first) }
}

extension String {
    /// Copies bytes that are known to be ASCII.
    fileprivate init(ascii bytes: UnsafeRawBufferPointer) {
        let units = bytes.assumingMemoryBound(to: UInt8.self)
        if #available(macOS 26.0, *) {
            self.init(copying: UTF8Span(unchecked: units.span, isKnownASCII: true))
        } else {
            self.init(decoding: units, as: UTF8.self)
        }
    }

    /// Copies bytes that are UTF-8; nil if they are not.
    fileprivate init?(utf8 bytes: UnsafeRawBufferPointer) {
        let units = bytes.assumingMemoryBound(to: UInt8.self)
        if #available(macOS 26.0, *) {
            // Twice as fast as `String(validating:as:)`.
            guard let text = try? UTF8Span(validating: units.span) else { return nil }
            self.init(copying: text)
        } else {
            self.init(validating: units, as: UTF8.self)
        }
    }
}
