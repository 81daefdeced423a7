import TextForms

/// Decides which URLs of users may be requested, and which addresses may be connected to for them: the protection
/// against server-side request forgery.
///
/// A `GuardedURL` comes only from `check`. A name may be resolved to any address, and to another one each time, so
/// `allows` decides right before each connection.
package struct OutgoingGuard: Sendable {
    /// The push services of Chrome, Firefox, Safari and Edge.
    package static let browserPushServices = [
        "fcm.googleapis.com", "*.push.services.mozilla.com", "*.push.apple.com", "*.notify.windows.com",
    ]

    /// Host names, in lower case; `*.example.org` is all names below example.org, `*` every name.
    package var hosts: [String]
    /// Ports beside 443.
    package var ports: Set<Int>
    /// For development: `http` and any port for this machine's loopback addresses.
    package var allowsLoopback: Bool

    package init(
        hosts: [String] = browserPushServices, ports: Set<Int> = [], allowsLoopback: Bool = false
    ) {
        self.hosts = hosts
        self.ports = ports
        self.allowsLoopback = allowsLoopback
    }

    /// Returns true if a connection to an address may be made: the one place that decides.
    func allows(_ address: NetworkAddress) -> Bool { address.isPublic || allowsLoopback && address.isLoopback }

    /// Checks a URL that a user chose. No name is resolved, so the time says nothing.
    package func check(_ text: String) throws(GuardedURL.Defect) -> GuardedURL {
        let url: HTTPURL
        do throws(HTTPURL.Defect) { url = try HTTPURL(text) } catch { throw GuardedURL.Defect(error) }
        guard url.isName || url.isLoopback else { throw .host }
        let isLocal = allowsLoopback && url.isLoopback
        guard url.isSecure || isLocal else { throw .scheme }
        if !isLocal {
            guard url.isName else { throw .host }
            guard hosts.contains(where: { url.host(matches: $0) }) else { throw .hostNotAllowed }
            guard url.port == 443 || ports.contains(url.port) else { throw .port }
        }
        return GuardedURL(url)
    }
}

extension HTTPURL {
    /// True for a name of at least two labels. The last label begins with a letter, as no spelling of an address does:
    /// 127.1, 0177.0.0.1, 0x7f.1 and 2130706433 are addresses to resolvers.
    fileprivate var isName: Bool {
        let labels = host.split(separator: ".", omittingEmptySubsequences: false)
        guard host.utf8.count <= 253, labels.count >= 2, host != "localhost",
            let first = labels.last?.utf8.first, (0x61...0x7A).contains(first)
        else { return false }
        return labels.allSatisfy { label in
            (1...63).contains(label.utf8.count) && label.first != "-" && label.last != "-"
                && label.utf8.allSatisfy { (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x2D }
        }
    }

    fileprivate func host(matches pattern: String) -> Bool {
        if pattern == "*" { return true }
        return pattern.hasPrefix("*.") ? host.hasSuffix(pattern.dropFirst()) : host == pattern
    }
}
