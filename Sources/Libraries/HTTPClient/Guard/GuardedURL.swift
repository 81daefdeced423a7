import TextForms

/// A URL of a user's that an `OutgoingGuard` allowed. Only the guard makes one, and `GuardedClient` takes nothing else.
package struct GuardedURL: Hashable, Sendable {
    /// The reason why a URL is refused.
    package enum Defect: String, Error, Sendable, CaseIterable, CustomStringConvertible {
        case scheme = "the URL does not begin with https://"
        case tooLong = "the URL is longer than 2,048 bytes"
        case characters = "the URL has characters to be escaped, or a fragment"
        case credentials = "the URL has a user or a password"
        case host = "the URL's host is not the name of a server"
        case hostNotAllowed = "the URL's host is not one that the operator allows"
        case port = "the URL's port is not one that the operator allows"

        package var description: String { rawValue }

        init(_ defect: HTTPURL.Defect) {
            self =
                switch defect {
                case .scheme: .scheme
                case .tooLong: .tooLong
                case .characters: .characters
                case .credentials: .credentials
                case .host: .host
                case .port: .port
                }
        }
    }

    /// The URL in its one spelling: scheme and host in lower case, no default port, at least `/` as path.
    package let text: String
    /// The host in lower case.
    package let host: String
    /// Scheme, host and port without a default one: the audience of a token for the server.
    package let origin: String

    init(_ url: HTTPURL) { (text, host, origin) = (url.text, url.host, url.origin) }
}
