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
        // Bytes, as they are ASCII: a text would be taken apart into characters.
        guard text.utf8.count <= Self.bytesMax else { throw .tooLong }
        let bytes = Array(text.utf8)
        guard bytes.allSatisfy({ Self.isAllowed[Int($0)] }) else { throw .characters }
        guard let colon = Self.schemeEnd(bytes) else { throw .scheme }
        switch Self.lower(bytes[..<colon]) {
        case "https": isSecure = true
        case "http": isSecure = false
        default: throw .scheme
        }
        let rest = bytes[(colon + 3)...]
        let authority = rest.prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }
        guard !authority.contains(UInt8(ascii: "@")) else { throw .credentials }
        let tail = String(decoding: bytes[authority.endIndex...], as: UTF8.self)
        target = tail.utf8.first == UInt8(ascii: "/") ? tail : "/" + tail
        let end = authority.lastIndex(of: UInt8(ascii: "]")).map { $0 + 1 }
        let name = authority[..<(end ?? authority.firstIndex(of: UInt8(ascii: ":")) ?? authority.endIndex)]
        host = Self.lower(name)
        port = try Self.port(authority[name.endIndex...], isSecure: isSecure)
        guard Self.isHost(host) else { throw .host }
    }

    /// Characters of RFC 3986; names in other scripts are written as `xn--`. A fragment is never sent.
    private static let isAllowed = (0..<256).map { byte in
        byte > 0x20 && byte < 0x7F && !"\"<>\\^`{|}#".utf8.contains(UInt8(byte))
    }

    /// The place of `://`.
    private static func schemeEnd(_ bytes: [UInt8]) -> Int? {
        bytes.indices.first { bytes[$0...].prefix(3).elementsEqual("://".utf8) }
    }

    private static func lower(_ bytes: ArraySlice<UInt8>) -> String {
        String(decoding: bytes.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
    }

    /// Host and port, without the usual port of the scheme.
    package var authority: String { port == (isSecure ? 443 : 80) ? host : "\(host):\(port)" }

    /// Scheme, host and port, as RFC 6454 has them.
    package var origin: String { "\(isSecure ? "https" : "http")://\(authority)" }

    /// The URL in its one spelling: scheme and host in lower case, no usual port, at least `/` as path.
    package var text: String { origin + target }

    /// True for the spellings of this machine that development uses.
    package var isLoopback: Bool { ["localhost", "127.0.0.1", "[::1]"].contains(host) }

    private static func port(_ text: ArraySlice<UInt8>, isSecure: Bool) throws(Defect) -> Int {
        if text.isEmpty { return isSecure ? 443 : 80 }
        let digits = text.dropFirst()
        guard text.first == UInt8(ascii: ":"), (1...5).contains(digits.count), digits.first != UInt8(ascii: "0"),
            digits.allSatisfy({ (0x30...0x39).contains($0) })
        else { throw .port }
        let port = digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
        guard port <= 65_535 else { throw .port }
        return port
    }

    /// Returns true for a name in lower case, an IPv4 address, or an IPv6 address in brackets.
    private static func isHost(_ host: String) -> Bool {
        let isLiteral = host.hasPrefix("[") && host.hasSuffix("]")
        let inner = isLiteral ? host.dropFirst().dropLast() : host[...]
        return !inner.isEmpty && inner.utf8.allSatisfy { isLiteral ? isOfLiteral($0) : isOfName($0) }
    }

    private static func isOfLiteral(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: ":"), UInt8(ascii: "a")...UInt8(ascii: "f"), UInt8(ascii: "."): true
        default: false
        }
    }

    private static func isOfName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "."),
            UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
