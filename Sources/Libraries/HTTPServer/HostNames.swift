/// The names under which a server answers. `Host` of another name is refused: a page under a name that leads here only
/// for a moment (DNS rebinding) would otherwise be of the server's own origin.
package struct HostNames: Sendable {
    /// The addresses that are names as well. An address as host leads nowhere else, so that no page gets one by DNS.
    package enum Addresses: Sendable {
        /// Those of this machine to itself: for a server that makes its own addresses of `Host`.
        case loopback
        /// All of them.
        case all
    }

    private let names: Set<String>
    private let addresses: Addresses

    /// `localhost`, and these names without a port; of an IPv6 address without brackets.
    package init(_ names: [String], addresses: Addresses) {
        self.names = Set(names.map { Self.plain($0[...]) } + ["localhost"])
        self.addresses = addresses
    }

    /// Returns true for one of the names, with any port or none: a forwarded port is another one.
    /// - Parameter authority: the value of `Host`, or the authority of an absolute target.
    package func accepts(_ authority: String) -> Bool {
        var host = authority[...]
        if host.first == "[" {
            guard let end = host.firstIndex(of: "]") else { return false }
            host = host[host.index(after: host.startIndex)..<end]
        } else if let colon = host.lastIndex(of: ":") {
            host = host[..<colon]
        }
        let name = Self.plain(host)
        if names.contains(name) { return true }
        guard let address = ClientAddress(name) else { return false }
        return addresses == .all || address.isLoopback
    }

    /// Returns the first authority of a request that is none of the names; nil if there is none. A request without
    /// `Host`, which HTTP/1.0 allows, is of no browser.
    func foreign(_ headers: HTTPHeaders, target: String) -> String? {
        let scheme = ["http://", "https://"].first { target.hasPrefix($0) }
        let absolute = scheme.map { String(target.dropFirst($0.utf8.count).prefix { !"/?".contains($0) }) }
        return [headers["Host"], absolute].lazy.compactMap(\.self).first { !accepts($0) }
    }

    /// A name as it is compared: in lower case, without the dot of the root.
    private static func plain(_ name: Substring) -> String {
        let lower = name.lowercased()
        return lower.hasSuffix(".") ? String(lower.dropLast()) : lower
    }
}
