import CloudModel
import HTTPServer
import Identity

/// The web pages that may read a route's answers (CORS).
package enum OriginPolicy: Hashable, Sendable {
    /// Pages of this port alone: no CORS headers.
    case own
    /// Pages of any origin, as the URL is the right to use it; they may read these headers of the answer, too.
    case any(exposing: [String] = [])
    /// Pages of the origins that the request's API token is for.
    case ofToken

    /// Returns true if browsers that ask first are answered.
    var answersPreflights: Bool { self != .own }

    /// The headers of every answer; nil where they depend on the page.
    var fixedHeaders: [(String, String)]? {
        switch self {
        case .own: []
        case .any(let exposed):
            [("Access-Control-Allow-Origin", "*")]
                + (exposed.isEmpty ? [] : [("Access-Control-Expose-Headers", exposed.joined(separator: ", "))])
        case .ofToken: nil
        }
    }

    /// Returns the headers of the answer to a request.
    /// - Throws: `ACCESS_DENIED` when the page may not make the request.
    func headers(_ request: HTTPRequest, _ visit: Visit) async throws -> [(String, String)] {
        if let fixedHeaders { return fixedHeaders }
        return try await CrossOrigin(request, try visit.servedScope())?.headers ?? []
    }

    /// Returns the headers of the answer to a request that is refused by its head.
    func headers(refused head: HTTPRequestHead, _ visit: Visit) -> [(String, String)] {
        if let fixedHeaders { return fixedHeaders }
        guard case .success(let scope) = visit.scope else { return [] }
        return CrossOrigin(refused: head, scope)?.headers ?? []
    }

    /// Indicates whether memory has the API token of a preflight; nil for a preflight without one.
    func knowsToken(_ head: HTTPRequestHead, _ visit: Visit) -> Bool? {
        guard self == .ofToken, case .success(let scope) = visit.scope, let token = try? GivenCredentials(head).apiToken
        else { return nil }
        return scope.credentials.token(token) != nil
    }

    /// Returns the answer to a browser that asks first.
    /// - Parameter headers: what the answer to a request says.
    func preflight(_ request: HTTPRequest, _ visit: Visit, _ headers: [(String, String)]) -> HTTPResponse {
        let asked = request.headers["Access-Control-Request-Headers"] ?? ""
        let permissions = CrossOrigin.permissions(visit.route.methods, headers: asked, id: visit.id)
        return HTTPResponse(status: 204, headers: self == .ofToken ? headers + permissions : permissions + headers)
    }
}
