/// An `http` or `https` URL with a host, perhaps a port, and no credentials or fragment, read strictly: a host for one
/// reader is never something else for another. Which hosts may be requested is for others to decide.
package struct HTTPURL: Hashable, Sendable {
    /// The reason why a text is no such URL.
    package enum Defect: String, Error, Sendable, CaseIterable, CustomStringConvertible {
        case scheme = "the URL does not begin with https://"
        case tooLong = "the URL is longer than 2,048 bytes"
        case characters = "the URL has characters to be escaped, or a fragment"
        case credentials = "the URL has a user or a password"
        case host = "the URL has no host, or one with characters that no host has"
        case port = "the URL's port is not a number from 1 to 65535"

        package var description: String { rawValue }
    }

    /// No URL has more bytes.
    package static let bytesMax = 2048

    /// True for `https`.
    package let isSecure: Bool
    /// In lower case; a numeric IPv6 address has brackets.
    package let host: String
    /// The port, from 1 to 65535.
    package let port: Int
    /// Path and query, at least `/`.
    package let target: String

    /// Reads a URL.
    /// - Throws: the first defect, never with a part of the text.
    package init(_ text: String) throws(Defect) {
        let bytes = text.utf8
        guard bytes.count <= Self.bytesMax else { throw .tooLong }
        // Characters of RFC 3986; names in other scripts are written as `xn--`. A fragment is never sent.
        guard bytes.allSatisfy({ $0 > 0x20 && $0 < 0x7F && !"\"<>\\^`{|}#".utf8.contains($0) }) else {
            throw .characters
        }
        guard let slashes = text.firstRange(of: "://") else { throw .scheme }
        switch text[..<slashes.lowerBound].lowercased() {
        case "https": isSecure = true
        case "http": isSecure = false
        default: throw .scheme
        }
        let rest = text[slashes.upperBound...]
        let authority = rest.prefix { $0 != "/" && $0 != "?" }
        guard !authority.contains("@") else { throw .credentials }
        let tail = rest[authority.endIndex...]
        target = tail.hasPrefix("/") ? String(tail) : "/" + tail
        let end = authority.lastIndex(of: "]").map(authority.index(after:))
        let name = authority[..<(end ?? authority.firstIndex(of: ":") ?? authority.endIndex)]
        host = name.lowercased()
        port = try Self.port(authority[name.endIndex...], isSecure: isSecure)
        guard Self.isHost(host) else { throw .host }
    }

    /// Host and port, without the usual port of the scheme.
    package var authority: String { port == (isSecure ? 443 : 80) ? host : "\(host):\(port)" }

    /// Scheme, host and port, as RFC 6454 has them.
    package var origin: String { "\(isSecure ? "https" : "http")://\(authority)" }

    /// The URL in its one spelling: scheme and host in lower case, no usual port, at least `/` as path.
    package var text: String { origin + target }

    /// True for the spellings of this machine that development uses.
    package var isLoopback: Bool { ["localhost", "127.0.0.1", "[::1]"].contains(host) }

    private static func port(_ text: Substring, isSecure: Bool) throws(Defect) -> Int {
        if text.isEmpty { return isSecure ? 443 : 80 }
        let digits = text.dropFirst()
        guard text.first == ":", (1...5).contains(digits.utf8.count), digits.first != "0",
            digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let port = Int(digits), port <= 65_535
        else { throw .port }
        return port
    }

    /// Returns true for a name in lower case, an IPv4 address, or an IPv6 address in brackets.
    private static func isHost(_ host: String) -> Bool {
        let isLiteral = host.hasPrefix("[") && host.hasSuffix("]")
        let inner = isLiteral ? host.dropFirst().dropLast() : host[...]
        let allowed = isLiteral ? "0123456789abcdef:." : "0123456789abcdefghijklmnopqrstuvwxyz.-_"
        return !inner.isEmpty && inner.utf8.allSatisfy { allowed.utf8.contains($0) }
    }
}
