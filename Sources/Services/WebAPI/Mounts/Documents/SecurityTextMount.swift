package import CloudModel
import HTTPServer

/// The operator's contacts for reports of weaknesses (RFC 9116).
package struct SecurityText: Sendable {
    private let bytes: [UInt8]

    /// - Parameters:
    ///   - contacts: addresses (`mailto:`, `https:`, `tel:`), the preferred one first.
    ///   - expires: the time after which nobody should go by the text.
    ///   - publicURL: where clients reach the API; empty where that is not set.
    package init(contacts: [String], expires: Timestamp, publicURL: String) {
        var lines = contacts.map { "Contact: \($0)" } + ["Expires: \(expires.iso8601)"]
        if !publicURL.isEmpty { lines.append("Canonical: \(publicURL)\(SecurityTextMount.path)") }
        bytes = Array((lines.joined(separator: "\n") + "\n").utf8)
    }

    var response: HTTPResponse {
        HTTPResponse(
            status: 200,
            headers: [("Content-Type", "text/plain; charset=utf-8"), ("Cache-Control", "max-age=3600")],
            body: .bytes(bytes))
    }
}

/// The text, for anybody; absent where no setting has a contact.
struct SecurityTextMount: Mount {
    static let path: PathPattern = "/.well-known/security.txt"

    let text: SecurityText?

    var routes: [Route] {
        [
            Route(
                "security-text", path: Self.path,
                work: .now { [text] _, _ throws(CloudError) in
                    guard let text else { throw CloudError(.notFound, "this service names no contact for reports") }
                    return text.response
                })
        ]
    }
}
