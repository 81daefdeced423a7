/// A failure as CloudKit Web Services words it: a stable code and a reason that says what was attempted and what to do.
package struct CloudError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The code, which also decides the HTTP status.
    package var code: CloudErrorCode
    /// A text for developers: what was wrong and what to do.
    package var reason: String
    /// Seconds after which the same request may succeed; only with codes that are temporary.
    package var retryAfterSeconds: Int?
    /// The part of a feed that is lost to the reader; only with `CHANGE_TOKEN_EXPIRED`, where it is known.
    package var gap: TokenGap?
    /// The address of a page to sign in on; only with `AUTHENTICATION_REQUIRED`.
    package var redirectURL: String?

    package init(_ code: CloudErrorCode, _ reason: String, retryAfterSeconds: Int? = nil, gap: TokenGap? = nil) {
        self.code = code
        self.reason = reason
        self.retryAfterSeconds = retryAfterSeconds
        self.gap = gap
    }

    /// The request is malformed or asks for what cannot be.
    package static func badRequest(_ reason: String) -> CloudError { CloudError(.badRequest, reason) }

    package var description: String { "\(code.rawValue): \(reason)" }
}
