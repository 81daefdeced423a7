import CloudJSON
package import CloudModel
import JSON

/// A request, or one item of a request, that the service refused.
public struct FanfareError: Error, Sendable, CustomStringConvertible {
    /// The HTTP status of the answer.
    public let status: Int
    /// CloudKit's code; nil when the answer was none of CloudKit's errors.
    package let code: CloudErrorCode?
    /// The service's words for people, or the beginning of a body that is not its own.
    public let reason: String
    /// The seconds after which the same request may succeed, where the service says so.
    public let retryAfterSeconds: Int?
    /// The notifications that an expired change token cannot bring any more; nil with other errors, and where the service
    /// does not know.
    public let gap: FanfareGap?

    package init(
        status: Int, code: CloudErrorCode?, reason: String, retryAfterSeconds: Int? = nil, gap: FanfareGap? = nil
    ) {
        self.status = status
        self.code = code
        self.reason = reason
        self.retryAfterSeconds = retryAfterSeconds
        self.gap = gap
    }

    /// The error of an answer.
    init(status: Int, body: [UInt8]) {
        let json = try? JSONValue(parsing: body)
        self.init(
            status: status, code: json?["serverErrorCode"]?.string.flatMap { CloudErrorCode(rawValue: $0) },
            reason: json?["reason"]?.string ?? String(decoding: body.prefix(200), as: UTF8.self),
            retryAfterSeconds: json?["retryAfter"]?.integer.map { Int($0) },
            gap: (json?["gap"]).map { FanfareGap(ErrorJSON.gap($0)) })
    }

    /// The error that ends a stream.
    init(event data: [UInt8]) {
        if let json = try? JSONValue(parsing: data), let error = ErrorJSON.read(json) {
            self.init(error)
        } else {
            self.init(status: 200, body: data)
        }
    }

    /// The error of an item in an answer to a request that was not refused itself.
    package init(_ error: CloudError) {
        self.init(
            status: error.code.httpStatus, code: error.code, reason: error.reason,
            retryAfterSeconds: error.retryAfterSeconds, gap: error.gap.map { FanfareGap($0) })
    }

    /// CloudKit's code as it was sent, such as `CONFLICT`; nil when the answer was none of CloudKit's errors.
    public var serverErrorCode: String? { code?.rawValue }

    /// True if the same request may succeed later.
    public var isTransient: Bool { status >= 500 || status == 429 }

    /// The code and the reason in one line.
    public var description: String { "\(code?.rawValue ?? "HTTP \(status)"): \(reason)" }
}
