/// Searches in texts, byte by byte of their UTF-8. The standard library's, of the module `_StringProcessing`, bring a parser
/// of regular expressions into the program (docs/decisions/0050-the-program-links-no-foundation.md).
extension StringProtocol {
    /// The first occurrence of another text; nil if there is none.
    package func firstPlace(of other: String) -> Range<Index>? {
        let wanted = Array(other.utf8)
        guard let first = wanted.first else { return startIndex..<startIndex }
        var start = utf8.startIndex
        while let found = utf8[start...].firstIndex(of: first) {
            if utf8[found...].starts(with: wanted) { return found..<utf8.index(found, offsetBy: wanted.count) }
            start = utf8.index(after: found)
        }
        return nil
    }

    /// Returns true if another text occurs in this one.
    package func holds(_ other: String) -> Bool { firstPlace(of: other) != nil }

    /// The text with each occurrence of another one replaced.
    package func exchanging(_ old: String, for new: String) -> String {
        var result = ""
        var rest = Substring(self)
        while !old.isEmpty, let place = rest.firstPlace(of: old) {
            result += rest[..<place.lowerBound] + new
            rest = rest[place.upperBound...]
        }
        return result + rest
    }
}
