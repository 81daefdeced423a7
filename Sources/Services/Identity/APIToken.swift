package import CloudModel

/// An API token that was made for a container's environment.
package struct APIToken: Hashable, Sendable {
    /// The origins that web pages may use it from; none means any. Requests without an origin come from no web page.
    package var origins: Set<String>

    package init(origins: Set<String>) { self.origins = origins }

    /// Returns true if a web page of an origin may use the token.
    package func allows(_ origin: String) -> Bool { origins.isEmpty || origins.contains(origin) }

    /// An origin as browsers write it: scheme, host and port, in lower case, nothing else.
    /// - Throws: `BAD_REQUEST` that says what an origin looks like.
    package static func origin(_ text: String) throws(CloudError) -> String {
        let lower = text.lowercased()
        let parts = lower.split(separator: "/", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, ["http:", "https:"].contains(parts[0]), parts[1].isEmpty, !parts[2].isEmpty,
            parts[2].utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f && !"/?#@*,\\\"".utf8.contains($0) })
        else {
            throw .badRequest(
                "an origin is http:// or https:// and a host, such as https://app.example.com, not '\(text)'")
        }
        let usual = parts[0] == "http:" ? ":80" : ":443"
        return lower.hasSuffix(usual) ? String(lower.dropLast(usual.utf8.count)) : lower
    }
}
