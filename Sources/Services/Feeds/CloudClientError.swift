package import CloudModel
import JSON

/// A request that the service refused.
package struct CloudClientError: Error, Sendable, CustomStringConvertible {
    /// The HTTP status of the answer.
    package let status: Int
    /// Nil when the answer was none of CloudKit's errors.
    package let code: CloudErrorCode?
    /// What the service says for people, or the beginning of a body that is not its own.
    package let reason: String

    init(status: Int, code: CloudErrorCode?, reason: String) {
        self.status = status
        self.code = code
        self.reason = reason
    }

    init(status: Int, body: [UInt8]) {
        let json = try? JSONValue(parsing: body)
        self.init(
            status: status, code: json?["serverErrorCode"]?.string.flatMap { CloudErrorCode(rawValue: $0) },
            reason: json?["reason"]?.string ?? String(decoding: body.prefix(200), as: UTF8.self))
    }

    package var description: String { "\(code?.rawValue ?? "HTTP \(status)"): \(reason)" }
}
