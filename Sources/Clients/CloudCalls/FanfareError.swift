import CloudJSON
package import CloudModel
import JSON

/// The error of a request, or of one item of a request, that the service refused.
public struct FanfareError: Error, Sendable, CustomStringConvertible {
    /// The HTTP status of the answer.
    public let status: Int
    /// CloudKit's error code; nil if the answer is not a CloudKit error.
    package let code: CloudErrorCode?
    /// The service's description of the error, or the first 200 bytes of a body in another format.
    public let reason: String
    /// The seconds after which the same request may succeed; nil if the service gives none.
    public let retryAfterSeconds: Int?
    /// The gap behind an expired change token; nil for other errors, and if the service does not know it.
    package let tokenGap: TokenGap?
    /// The limit that was exceeded; nil for other errors.
    package let limit: ExceededLimit?
    /// The share that a record, one above or below it, or its zone has already; nil for other errors.
    package let share: RecordName?

    package init(
        status: Int, code: CloudErrorCode?, reason: String, retryAfterSeconds: Int? = nil, gap: TokenGap? = nil,
        limit: ExceededLimit? = nil, share: RecordName? = nil
    ) {
        self.status = status
        self.code = code
        self.reason = reason
        self.retryAfterSeconds = retryAfterSeconds
        tokenGap = gap
        self.limit = limit
        self.share = share
    }

    /// Decodes the error of an answer.
    package init(status: Int, body: [UInt8]) {
        let json = try? JSONValue(parsing: body)
        self.init(
            status: status, code: json?["serverErrorCode"]?.string.flatMap { CloudErrorCode(rawValue: $0) },
            reason: json?["reason"]?.string ?? String(decoding: body.prefix(200), as: UTF8.self),
            retryAfterSeconds: json?["retryAfter"]?.integer.map { Int($0) },
            gap: (json?["gap"]).map { ErrorJSON.gap($0) },
            limit: json.flatMap(ErrorJSON.read)?.limit)
    }

    /// Decodes the error event that ends a stream.
    init(event data: [UInt8]) {
        if let json = try? JSONValue(parsing: data), let error = ErrorJSON.read(json) {
            self.init(error)
        } else {
            self.init(status: 200, body: data)
        }
    }

    /// The error of one item in an answer with status 200.
    package init(_ error: CloudError) {
        self.init(
            status: error.code.httpStatus, code: error.code, reason: error.reason,
            retryAfterSeconds: error.retryAfterSeconds, gap: error.gap,
            limit: error.limit, share: error.share)
    }

    /// CloudKit's error code as the service sent it, such as `CONFLICT`; nil if the answer is not a CloudKit error.
    public var serverErrorCode: String? { code?.rawValue }

    /// True if the same request may succeed later.
    public var isTransient: Bool { status >= 500 || status == 429 }

    /// The code and the reason in one line.
    public var description: String { "\(code?.rawValue ?? "HTTP \(status)"): \(reason)" }
}
