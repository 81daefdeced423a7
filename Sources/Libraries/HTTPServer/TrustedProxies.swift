/// The proxies whose word about where a request comes from is taken.
struct TrustedProxies: Sendable {
    let ranges: [AddressRange]

    /// Returns the client of a request: the last hop of `X-Forwarded-For` that is no trusted proxy, if a trusted proxy
    /// sends it. Hops that a client writes there itself come before those that the proxies add, so that they are never
    /// looked at.
    func client(of peer: ClientAddress?, _ headers: HTTPHeaders) -> ClientAddress? {
        guard !ranges.isEmpty, let peer, isTrusted(peer) else { return peer }
        var client = peer
        for value in headers.values("x-forwarded-for").reversed() {
            for hop in value.split(separator: ",", omittingEmptySubsequences: false).reversed() {
                // A hop that is no address ends the chain: its writer is not to be trusted further.
                guard let address = Self.address(hop) else { return client }
                client = address
                if !isTrusted(address) { return client }
            }
        }
        return client
    }

    private func isTrusted(_ address: ClientAddress) -> Bool { ranges.contains { $0.contains(address) } }

    /// An address, perhaps in brackets, perhaps with a port.
    private static func address(_ hop: Substring) -> ClientAddress? {
        let text = hop.filter { $0 != " " && $0 != "\t" }
        if let address = ClientAddress(text) { return address }
        if text.hasPrefix("["), let end = text.firstIndex(of: "]") {
            return ClientAddress(String(text[text.index(after: text.startIndex)..<end]))
        }
        return text.firstIndex(of: ":").flatMap { ClientAddress(String(text[..<$0])) }
    }
}
