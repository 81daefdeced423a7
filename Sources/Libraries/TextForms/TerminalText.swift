/// Text that a terminal shows and does not obey.
package enum TerminalText {
    /// The text with its control characters (C0, DEL, C1), line and paragraph separators and format characters, such as
    /// those that turn the writing direction, as `\u` and four digits, two of these beyond U+FFFF. JSON stays JSON of
    /// the same value.
    package static func escaped(_ text: String) -> String {
        // Nearly every line has printable ASCII alone.
        guard text.utf8.contains(where: { !(0x20...0x7E).contains($0) }) else { return text }
        var result = ""
        for scalar in text.unicodeScalars {
            if isShown(scalar) {
                result.unicodeScalars.append(scalar)
            } else {
                for unit in UTF16.encode(scalar)! { result += "\\u" + digits(unit) }
            }
        }
        return result
    }

    private static func isShown(_ scalar: Unicode.Scalar) -> Bool {
        if (0x20...0x7E).contains(scalar.value) { return true }
        return switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: false
        default: true
        }
    }

    private static func digits(_ unit: UInt16) -> String {
        Hexadecimal.encode([UInt8(unit >> 8), UInt8(unit & 0xFF)])
    }
}
