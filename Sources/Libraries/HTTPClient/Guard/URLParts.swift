/// The parts of an `http` or `https` URL, read strictly: what one reader takes for a host another must not take for
/// something else.
struct URLParts {
    private static let bytesMaximum = 2048

    let isSecure: Bool
    /// In lower case; a numeric IPv6 address has brackets.
    let host: String
    let port: Int
    /// Path and query, at least `/`.
    let target: String

    init(_ text: String) throws(GuardedURL.Defect) {
        let bytes = text.utf8
        guard bytes.count <= Self.bytesMaximum else { throw .tooLong }
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
        guard isName || isLoopback else { throw .host }
    }

    private static func port(_ text: Substring, isSecure: Bool) throws(GuardedURL.Defect) -> Int {
        if text.isEmpty { return isSecure ? 443 : 80 }
        let digits = text.dropFirst()
        guard text.first == ":", (1...5).contains(digits.utf8.count), digits.first != "0",
            digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let port = Int(digits), port <= 65_535
        else { throw .port }
        return port
    }

    /// True for a name of at least two labels. The last label begins with a letter, as no spelling of an address does:
    /// 127.1, 0177.0.0.1, 0x7f.1 and 2130706433 are addresses to resolvers.
    var isName: Bool {
        let labels = host.split(separator: ".", omittingEmptySubsequences: false)
        guard host.utf8.count <= 253, labels.count >= 2, host != "localhost",
            let first = labels.last?.utf8.first, (0x61...0x7A).contains(first)
        else { return false }
        return labels.allSatisfy { label in
            (1...63).contains(label.utf8.count) && label.first != "-" && label.last != "-"
                && label.utf8.allSatisfy { (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x2D }
        }
    }

    /// True for the spellings of this machine that development uses.
    var isLoopback: Bool { ["localhost", "127.0.0.1", "[::1]"].contains(host) }

    func host(matches pattern: String) -> Bool {
        if pattern == "*" { return true }
        return pattern.hasPrefix("*.") ? host.hasSuffix(pattern.dropFirst()) : host == pattern
    }
}
