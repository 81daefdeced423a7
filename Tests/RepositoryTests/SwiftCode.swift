/// The lines of a Swift file with comments and the contents of texts blanked, so that braces and words are code's. A
/// scanner, no parser: it knows comments, texts (also raw and of many lines) and interpolations, not regular
/// expressions, which are taken as code.
struct SwiftCode {
    let lines: [String]

    init(_ file: TextFile) {
        var masker = Masker(bytes: Array(file.text.utf8))
        masker.maskCode(untilParenthesis: false)
        lines = masker.bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
    }
}

private struct Masker {
    var bytes: [UInt8]
    var position = 0

    /// Walks through code; in an interpolation until the parenthesis that ends it.
    mutating func maskCode(untilParenthesis: Bool) {
        var depth = 0
        while position < bytes.count {
            switch bytes[position] {
            case UInt8(ascii: "/") where follows("//"): blank(until: "\n")
            case UInt8(ascii: "/") where follows("/*"): blank(through: "*/")
            case UInt8(ascii: "\""): maskText(hashes: 0)
            case UInt8(ascii: "#"):
                var hashes = 0
                while position < bytes.count, bytes[position] == UInt8(ascii: "#") {
                    hashes += 1
                    position += 1
                }
                if position < bytes.count, bytes[position] == UInt8(ascii: "\"") { maskText(hashes: hashes) }
            case UInt8(ascii: "("):
                depth += 1
                position += 1
            case UInt8(ascii: ")"):
                depth -= 1
                position += 1
                if untilParenthesis, depth == 0 { return }
            default: position += 1
            }
        }
    }

    /// At the quotation mark that opens a text.
    private mutating func maskText(hashes: Int) {
        let marks = String(repeating: "#", count: hashes)
        let end = (follows("\"\"\"") ? "\"\"\"" : "\"") + marks
        let interpolation = "\\" + marks + "("
        position += end.utf8.count - hashes
        while position < bytes.count {
            if follows(end) {
                position += end.utf8.count
                return
            }
            if follows(interpolation) {
                // At its parenthesis, which the code of the interpolation begins with.
                position += interpolation.utf8.count - 1
                maskCode(untilParenthesis: true)
            } else {
                if bytes[position] == UInt8(ascii: "\\"), hashes == 0 { blank() }
                blank()
            }
        }
    }

    private func follows(_ text: String) -> Bool {
        var index = position
        for byte in text.utf8 {
            guard index < bytes.count, bytes[index] == byte else { return false }
            index += 1
        }
        return true
    }

    private mutating func blank() {
        guard position < bytes.count else { return }
        if bytes[position] != UInt8(ascii: "\n") { bytes[position] = UInt8(ascii: " ") }
        position += 1
    }

    private mutating func blank(until end: String) {
        while position < bytes.count, !follows(end) { blank() }
    }

    private mutating func blank(through end: String) {
        blank(until: end)
        for _ in end.utf8 { blank() }
    }
}
