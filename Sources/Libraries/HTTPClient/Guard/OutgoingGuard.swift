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
        let parts = try URLParts(text)
        let isLocal = allowsLoopback && parts.isLoopback
        guard parts.isSecure || isLocal else { throw .scheme }
        if !isLocal {
            guard parts.isName else { throw .host }
            guard hosts.contains(where: { parts.host(matches: $0) }) else { throw .hostNotAllowed }
            guard parts.port == 443 || ports.contains(parts.port) else { throw .port }
        }
        return GuardedURL(parts)
    }
}
