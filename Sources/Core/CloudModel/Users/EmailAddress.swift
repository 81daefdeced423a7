/// An email address that users are found and invited by. Two are the same if they differ in the case of ASCII letters
/// alone.
///
/// Unicode folds other letters to ASCII ones (the Kelvin sign, U+212A, to k), and Swift's `==` takes composed and
/// decomposed letters for equal: a provider that verified one of them has not verified the other.
package struct EmailAddress: Hashable, Sendable {
    /// The form that is stored and looked up: ASCII letters in lower case.
    package let key: String

    /// - Throws: `BAD_REQUEST` for a text with control characters or line ends.
    package init(_ text: String) throws(CloudError) {
        guard !text.unicodeScalars.contains(where: Self.isControl) else {
            throw .badRequest("the email address has a control character or a line end")
        }
        self.init(trusted: text)
    }

    /// An address from the store, or one that was checked.
    package init(trusted text: String) {
        key = String(decoding: text.utf8.map { $0 >= 0x41 && $0 <= 0x5a ? $0 | 0x20 : $0 }, as: UTF8.self)
    }

    package static func == (left: EmailAddress, right: EmailAddress) -> Bool {
        left.key.utf8.elementsEqual(right.key.utf8)
    }

    package func hash(into hasher: inout Hasher) {
        for byte in key.utf8 { hasher.combine(byte) }
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }
}
