/// A list in a header's value: members with commas between them, of which empty ones count for nothing (RFC 9110, 5.6.1).
package struct HeaderList {
    package let members: [Substring]

    package init(_ value: some StringProtocol) {
        members = Substring(value).split(separator: ",").map(Self.trimmed).filter { !$0.isEmpty }
    }

    /// Returns true if the list of `If-Match` or `If-None-Match` has an entity tag, or is for every one.
    /// - Parameters:
    ///   - tag: the strong tag, with its quotes.
    ///   - isStrong: whether a weak tag names nothing.
    package func names(_ tag: String, isStrong: Bool = false) -> Bool {
        members.contains { $0 == "*" || $0 == tag || (!isStrong && $0 == "W/\(tag)") }
    }

    private static func trimmed(_ text: Substring) -> Substring {
        var text = text.drop { $0 == " " || $0 == "\t" }
        while text.last == " " || text.last == "\t" { text.removeLast() }
        return text
    }
}
