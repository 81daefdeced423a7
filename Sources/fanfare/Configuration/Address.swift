/// A host and a port.
struct Address: Hashable {
    let host: String
    let port: Int

    /// Reads `HOST:PORT`; the host of an IPv6 address is in brackets. Nil if the text is no address.
    init?(_ text: String) {
        guard let colon = text.lastIndex(of: ":"), let port = Int(text[text.index(after: colon)...]),
            (0...65535).contains(port)
        else { return nil }
        var host = text[..<colon]
        if host.hasPrefix("["), host.hasSuffix("]") { host = host.dropFirst().dropLast() }
        guard !host.isEmpty else { return nil }
        self.host = String(host)
        self.port = port
    }

    /// Returns true if a URL leads over plain HTTP to this machine itself.
    static func isLoopback(url: String) -> Bool {
        guard url.hasPrefix("http://") else { return false }
        let authority = String(url.dropFirst("http://".count).prefix { !"/?#".contains($0) })
        guard !authority.contains("@"), let address = Address(authority) ?? Address(authority + ":80") else {
            return false
        }
        let isNumber = address.host.hasPrefix("127.") && address.host.allSatisfy { $0.isNumber || $0 == "." }
        return isNumber || ["localhost", "::1"].contains(address.host)
    }
}
