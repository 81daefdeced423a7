import CloudModel
import HTTPServer
import Identity
import RecordService

/// A request of a web page with an API token, and the CORS headers by which its browser lets the page read the answer.
struct CrossOrigin: Sendable {
    /// Seconds for which a browser may rely on the answer to a preflight.
    static let preflightSeconds = 600

    /// The page's origin.
    let origin: String

    /// Returns nil if no web page makes the request.
    /// - Throws: `ACCESS_DENIED` when the API token is not for pages of this origin.
    init?(_ request: HTTPRequest, _ scope: APIScope) async throws {
        guard let origin = request.headers["Origin"], !origin.isEmpty else { return nil }
        self.origin = origin
        // The request itself returns the error of an unknown token, which the page may read.
        guard let token = try? GivenCredentials(request.head).apiToken,
            let known = try await scope.identity.apiToken(token), !known.allows(origin)
        else { return }
        throw Self.foreign(origin)
    }

    /// Checks a request that is refused by its head, as far as memory allows.
    init?(refused head: HTTPRequestHead, _ scope: APIScope) {
        guard let origin = head.headers["Origin"], !origin.isEmpty else { return nil }
        self.origin = origin
        if let token = try? GivenCredentials(head).apiToken, let known = scope.credentials.token(token),
            !known.allows(origin)
        {
            return nil
        }
    }

    /// The error for a page that the API token is not for.
    static func foreign(_ origin: String) -> CloudError {
        CloudError(
            .accessDenied,
            "the API token is not for web pages of the origin '\(origin)'; fanfare token create --origin makes one that is"
        )
    }

    /// The headers of the answer.
    var headers: [(String, String)] {
        [
            ("Access-Control-Allow-Origin", origin), ("Vary", "Origin"),
            ("Access-Control-Expose-Headers", "X-Apple-CloudKit-Web-Auth-Token, X-Apple-Request-UUID"),
        ]
    }

    /// Returns true if a browser asks what it may do.
    static func isPreflight(_ head: HTTPRequestHead) -> Bool {
        head.method == "OPTIONS" && head.headers["Origin"] != nil
            && head.headers["Access-Control-Request-Method"] != nil
    }

    /// The headers with the methods and headers that a page may use. Every requested header is allowed, as none is
    /// trusted.
    static func permissions(_ methods: [String], headers: String, id: String) -> [(String, String)] {
        [
            ("Access-Control-Allow-Methods", methods.joined(separator: ", ")),
            ("Access-Control-Allow-Headers", headers), ("Access-Control-Max-Age", "\(preflightSeconds)"),
            (RequestID.header, id),
        ]
    }
}
