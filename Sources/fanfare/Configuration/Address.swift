/// A host and a port.
struct Address: Hashable {
    let host: String
    let port: Int

    /// Reads `HOST:PORT`; the host of an IPv6 address stands in brackets. Nil when the text is no address.
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
}
