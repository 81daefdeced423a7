package import CloudModel
import TextForms

/// An API token that was made for a container's environment.
package struct APIToken: Hashable, Sendable {
    /// The origins that web pages may use it from; none means any. Requests without an origin come from no web page.
    package var origins: Set<String>
    /// The addresses that a sign-in may hand a session to, compared whole. Pages of their origins may use the token.
    package var callbacks: Set<String> = []

    /// - Parameter named: the origins and addresses that the store has for the token.
    package init(origins named: Set<String>) {
        origins = named
        for address in named where (try? Self.origin(address)) == nil {
            origins.remove(address)
            callbacks.insert(address)
            if let origin = try? Self.origin(Self.beginning(of: address)) { origins.insert(origin) }
        }
    }

    /// Returns true if a web page of an origin may use the token.
    package func allows(_ origin: String) -> Bool { origins.isEmpty || origins.contains(origin) }

    /// An address that gets sessions, as it is: https:// or http://, a host, a path, and a query if there is one.
    /// - Throws: `BAD_REQUEST` that says what such an address looks like.
    package static func callback(_ text: String) throws(CloudError) -> String {
        let beginning = beginning(of: text)
        guard try origin(beginning) == beginning, text.dropFirst(beginning.utf8.count).hasPrefix("/"),
            text.utf8.count <= Limits.callbackBytesMax,
            text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f && !"#\\,\"<>".utf8.contains($0) })
        else {
            throw .badRequest(
                "a callback is an address with its path, of at most \(Limits.callbackBytesMax) bytes and without a fragment, such as https://app.example.com/signed-in, not '\(text.prefix(200))'"
            )
        }
        return text
    }

    /// An address to the end of its host and port.
    package static func beginning(of address: String) -> String {
        let host = address.firstPlace(of: "://")?.upperBound ?? address.startIndex
        return String(address[..<(address[host...].firstIndex { "/?#\\".contains($0) } ?? address.endIndex)])
    }

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
