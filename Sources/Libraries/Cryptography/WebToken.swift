import TextForms

/// A signed token in compact form (RFC 7515) as it came: nothing in it may be believed before a key has verified it.
package struct WebToken: Sendable {
    /// No token is larger.
    package static let bytesMax = 16 << 10

    /// The token's text.
    package let text: String
    /// Its protected header, decoded: JSON that says which key it wants.
    package let header: [UInt8]

    /// Reads a token's form; nil unless it has exactly three parts of base64url and at most `bytesMax` bytes.
    package init?(_ text: String) {
        guard text.utf8.count <= Self.bytesMax else { return nil }
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, parts.allSatisfy({ !$0.isEmpty && Base64.url.decode(String($0)) != nil }),
            let header = Base64.url.decode(String(parts[0]))
        else { return nil }
        self.text = text
        self.header = header
    }
}
