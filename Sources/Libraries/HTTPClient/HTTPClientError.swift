/// A request without an answer; the text has the request, the failure and the remedy.
///
/// The URL is shown without its query, which may contain secrets.
package struct HTTPClientError: Error, Sendable, CustomStringConvertible {
    /// The kinds of failures.
    package enum Kind: Sendable, Equatable {
        /// The request cannot be sent as it is, or its body cannot be read.
        case invalidRequest
        /// The host's name could not be resolved.
        case resolution
        /// No connection could be made.
        case connection
        /// The other end could not be trusted, or TLS could not be agreed on.
        case tls
        /// It took longer than the request allows.
        case timedOut
        /// The server refused the request before it did anything with it.
        case refused
        /// The host's address is not one to connect to.
        case forbiddenAddress
        /// The connection ended before the answer did.
        case connectionLost
        /// The answer is larger than the request allows.
        case responseTooLarge
        /// The answer is not what HTTP allows, or redirects too often.
        case malformedResponse
        /// The client was closed.
        case closed
    }

    /// The advice about sending the request again.
    package enum Retry: Sendable, Equatable {
        /// The server certainly did not process it.
        case always
        /// The server may have processed it: only what may be done twice.
        case ifIdempotent
        /// It would fail again.
        case never
    }

    /// The kind, for deciding.
    package var kind: Kind
    /// The advice about sending the request again.
    package var retry: Retry
    /// The request's method.
    package var method: String
    /// Without query, fragment, name and password.
    package var url: String
    /// The failure and the remedy.
    package var reason: String

    /// All of it in one line, fit for a log.
    package var description: String { "\(method) \(url): \(reason)" }

    init(_ kind: Kind, _ retry: Retry, _ request: HTTPClientRequest, _ reason: String) {
        self.kind = kind
        self.retry = retry
        method = request.method
        url = request.loggableURL
        self.reason = reason
    }
}
