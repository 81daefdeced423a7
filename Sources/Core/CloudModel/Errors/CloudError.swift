/// A failure in the form of CloudKit Web Services: a stable code, and a reason with the attempt and the remedy.
package struct CloudError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The code, which also decides the HTTP status.
    package var code: CloudErrorCode
    /// A text for developers: the error and the remedy.
    package var reason: String
    /// Seconds after which the same request may succeed; only with codes that are temporary.
    package var retryAfterSeconds: Int?
    /// The part of a feed that is lost to the reader; only with `CHANGE_TOKEN_EXPIRED`, where it is known.
    package var gap: TokenGap?
    /// The limit that was exceeded; only with `QUOTA_EXCEEDED`.
    package var limit: ExceededLimit?
    /// The share that there is already; only with `EXISTS`, for a share of its records.
    package var share: RecordName?
    /// The address of a page to sign in on; only with `AUTHENTICATION_REQUIRED`.
    package var redirectURL: String?
    /// The character of a predicate string that the error is at, from 1, in Unicode scalars; one more than there are at its
    /// end. Only with `BAD_REQUEST`.
    package var column: Int?

    package init(_ code: CloudErrorCode, _ reason: String, retryAfterSeconds: Int? = nil, gap: TokenGap? = nil) {
        self.code = code
        self.reason = reason
        self.retryAfterSeconds = retryAfterSeconds
        self.gap = gap
    }

    /// The request is malformed or asks for what cannot be.
    package static func badRequest(_ reason: String) -> CloudError { CloudError(.badRequest, reason) }

    /// A limit was exceeded.
    package static func exceeded(_ limit: ExceededLimit, _ reason: String) -> CloudError {
        var error = CloudError(.quotaExceeded, reason)
        error.limit = limit
        return error
    }

    /// The record, one above or below it, or its zone is shared already.
    package static func alreadyShared(by share: RecordName, _ reason: String) -> CloudError {
        var error = CloudError(.exists, reason)
        error.share = share
        return error
    }

    package var description: String { "\(code.rawValue): \(reason)" }
}
