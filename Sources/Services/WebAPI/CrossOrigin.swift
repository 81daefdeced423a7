import CloudModel
import HTTPServer
import Identity
import RecordService

/// A request that a web page makes: what its browser is told, so that the page may read the answer (CORS).
struct CrossOrigin: Sendable {
    /// How long a browser may rely on the answer to a preflight, in seconds.
    static let preflightSeconds = 600

    /// The page's origin.
    let origin: String

    /// Nil when no web page makes the request.
    /// - Throws: `ACCESS_DENIED` when the API token is not for pages of this origin.
    init?(_ request: HTTPRequest, _ scope: APIScope) async throws {
        guard let origin = request.headers["Origin"], !origin.isEmpty else { return nil }
        self.origin = origin
        // A token that is unknown is told so by the request itself, which the page may read.
        guard let token = try? GivenCredentials(request.head).apiToken,
            let known = try await scope.identity.apiToken(token), !known.allows(origin)
        else { return }
        throw Self.foreign(origin)
    }

    /// Of a request that is refused by its head: as far as is known in memory.
    init?(refused head: HTTPRequestHead, _ scope: APIScope) {
        guard let origin = head.headers["Origin"], !origin.isEmpty else { return nil }
        self.origin = origin
        if let token = try? GivenCredentials(head).apiToken, let known = scope.credentials.token(token),
            !known.allows(origin)
        {
            return nil
        }
    }

    private static func foreign(_ origin: String) -> CloudError {
        CloudError(
            .accessDenied,
            "the API token is not for web pages of the origin '\(origin)'; fanfare token create --origin makes one that is"
        )
    }

    /// What the answer to a request says.
    var headers: [(String, String)] {
        [
            ("Access-Control-Allow-Origin", origin), ("Vary", "Origin"),
            ("Access-Control-Expose-Headers", "X-Apple-CloudKit-Web-Auth-Token, X-Apple-Request-UUID"),
        ]
    }

    /// The answer to a browser that asks first.
    func preflight(_ request: HTTPRequest, methods: [String]) -> HTTPResponse {
        let asked = request.headers["Access-Control-Request-Headers"] ?? ""
        return HTTPResponse(status: 204, headers: headers + Self.permissions(methods, headers: asked))
    }

    /// Whether a browser asks what it may do.
    static func isPreflight(_ method: String, _ headers: HTTPHeaders) -> Bool {
        method == "OPTIONS" && headers["Origin"] != nil && headers["Access-Control-Request-Method"] != nil
    }

    /// Which methods and headers a page may use. Headers carry nothing that is not checked: what is asked for is allowed.
    static func permissions(_ methods: [String], headers: String) -> [(String, String)] {
        [
            ("Access-Control-Allow-Methods", methods.joined(separator: ", ")),
            ("Access-Control-Allow-Headers", headers), ("Access-Control-Max-Age", "\(preflightSeconds)"),
            (RequestID.header, RequestID.make()),
        ]
    }
}
