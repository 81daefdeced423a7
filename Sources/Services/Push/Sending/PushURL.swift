import TextForms

/// The URL of an address that a client chose: `https`, a host, no credentials. Its host may be any; the transport
/// checks to which address it leads.
struct PushURL: Sendable, Hashable {
    /// No URL is longer.
    static let bytesMax = 2048

    /// The text as it was given.
    let text: String
    /// The host in lower case and the port, if it is not 443: the name of a line.
    let authority: String

    /// Scheme, host and port, as RFC 6454 has them.
    var origin: String { "https://\(authority)" }

    /// Reads a URL; nil for any other scheme, credentials, a fragment, a backslash, and bytes that must be escaped.
    init?(_ text: String) {
        let scheme = "https://"
        let bytes = Array(text.utf8)
        guard bytes.count <= Self.bytesMax, text.prefix(scheme.count).lowercased() == scheme,
            bytes.allSatisfy({ (0x21...0x7e).contains($0) && !Self.refused.contains($0) })
        else { return nil }
        let authority = text.dropFirst(scheme.count).prefix { !"/?".contains($0) }.lowercased()
        guard let (host, port) = Self.parts(authority), !host.isEmpty else { return nil }
        self.text = text
        self.authority = port == nil || port == 443 ? host : "\(host):\(port!)"
    }

    /// Credentials, a fragment, and signs that readers of URLs take differently.
    private static let refused = Set(#"@#\"<>^`{|}"#.utf8)

    /// Host and port of an authority; nil if the authority has another form.
    private static func parts(_ authority: String) -> (host: String, port: UInt16?)? {
        let isLiteral = authority.hasPrefix("[")
        let end =
            isLiteral
            ? authority.firstIndex(of: "]").map { authority.index(after: $0) }
            : authority.firstIndex(of: ":") ?? authority.endIndex
        guard let end else { return nil }
        let host = String(authority[..<end])
        guard isLiteral || !host.contains(where: { "[]%".contains($0) }) else { return nil }
        guard end < authority.endIndex else { return (host, nil) }
        let digits = authority[end...].dropFirst()
        guard authority[end] == ":", (1...5).contains(digits.utf8.count),
            digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let port = UInt16(digits), port > 0
        else { return nil }
        return (host, port)
    }
}
