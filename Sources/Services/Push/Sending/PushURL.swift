import TextForms

/// The URL of an address that a client chose: `https`, a host, no credentials. Its host may be any; the transport
/// checks to which address it leads. `http` is for this machine itself, which the transport has to allow.
struct PushURL: Sendable, Hashable {
    /// No URL is longer.
    static let bytesMax = 2048

    /// The text as it was given.
    let text: String
    /// The host in lower case and the port, if it is not 443: the name of a line.
    let authority: String

    /// Scheme, host and port, as RFC 6454 has them.
    var origin: String { "\(scheme)://\(authority)" }

    private let scheme: String

    /// Reads a URL; nil for any other scheme, credentials, a fragment, a backslash, and bytes that must be escaped.
    init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard let slashes = text.firstRange(of: "://"), bytes.count <= Self.bytesMax,
            bytes.allSatisfy({ (0x21...0x7e).contains($0) && !Self.refused.contains($0) })
        else { return nil }
        let authority = text[slashes.upperBound...].prefix { !"/?".contains($0) }.lowercased()
        scheme = text[..<slashes.lowerBound].lowercased()
        guard let (host, port) = Self.parts(authority), !host.isEmpty,
            scheme == "https" || scheme == "http" && Self.loopback.contains(host)
        else { return nil }
        self.text = text
        self.authority = port == nil || port == (scheme == "https" ? 443 : 80) ? host : "\(host):\(port!)"
    }

    private static let loopback: Set = ["localhost", "127.0.0.1", "[::1]"]

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
