import HTTPServer
import Telemetry

/// Plain text, for people and probes.
struct PlainDialect: Dialect {
    func notFound(_ head: HTTPRequestHead) -> HTTPResponse {
        guard head.method == "GET" else { return wrongMethod }
        return Self.text(404, "there are /health/live, /health/ready, /metrics and /stages\n")
    }

    func wrongMethod(_ method: String, _ route: Route, _ headers: [(String, String)]) -> HTTPResponse { wrongMethod }

    func failure(_ error: any Error, _ id: String, _ route: String) -> HTTPResponse {
        Log.error("request.failed", ["endpoint": route, "request": id, "error": "\(error)"])
        return Self.text(500, "the process could not do this; its log has the reason\n")
    }

    func name(_ response: inout HTTPResponse, _ id: String) {}

    func refusal(_ refusal: HTTPRefusal) -> HTTPResponse { Self.text(refusal.status, refusal.message + "\n") }

    /// The answer without the port's token (RFC 6750).
    static var unauthorized: HTTPResponse {
        var response = text(401, "show the token of the setting internal-token: Authorization: Bearer …\n")
        response.headers.append(("WWW-Authenticate", "Bearer"))
        return response
    }

    private var wrongMethod: HTTPResponse { Self.text(405, "only GET is answered here\n") }

    static func text(_ status: Int, _ text: String) -> HTTPResponse {
        HTTPResponse(
            status: status, headers: [("Content-Type", "text/plain; charset=utf-8")], body: .bytes(Array(text.utf8)))
    }
}
