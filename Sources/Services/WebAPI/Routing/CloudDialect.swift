import CloudModel
import HTTPServer
import RecordStore
import Telemetry

/// CloudKit's wording: errors are its dictionaries, and each answer has an ID that its errors repeat.
struct CloudDialect: Dialect {
    static let failures = Counter(
        "fanfare_web_api_errors_total", "Requests that failed because of a fault of the service's own.")

    func notFound(_ head: HTTPRequestHead) -> HTTPResponse {
        ErrorEncoding.response(CloudError(.notFound, "could not find handler for endpoint '\(head.path)'"))
    }

    func wrongMethod(_ method: String, _ route: Route, _ headers: [(String, String)]) -> HTTPResponse {
        // The server makes a HEAD of every GET.
        let allowed = route.methods.flatMap { $0 == "GET" ? [$0, "HEAD"] : [$0] }.joined(separator: ", ")
        let error = CloudError.badRequest("\(route.title) answers \(allowed), not \(method)")
        var response = ErrorEncoding.response(error, status: 405)
        response.headers += headers
        response.headers.append(("Allow", allowed))
        return response
    }

    /// Takes an error that is no `CloudError` for a fault of the service: its text goes to the log alone, under the
    /// answer's ID.
    func failure(_ error: any Error, _ id: String, _ route: String) -> HTTPResponse {
        if let error = error as? CloudError { return ErrorEncoding.response(error, id: id) }
        if error is CancellationError {
            return ErrorEncoding.response(
                CloudError(.tryAgainLater, "the service is stopping; try again", retryAfterSeconds: 1), id: id)
        }
        Self.failures.increment()
        Log.error("request.failed", ["endpoint": route, "request": id, "error": "\(error)"])
        if let error = (error as? StoreError).flatMap({ CloudError($0) }) {
            return ErrorEncoding.response(error, id: id)
        }
        return ErrorEncoding.response(
            CloudError(.internalError, "the service could not do this; its log has the reason under this uuid"), id: id)
    }

    func name(_ response: inout HTTPResponse, _ id: String) {
        guard !response.headers.contains(where: { $0.0 == RequestID.header }) else { return }
        response.headers.append((RequestID.header, id))
    }

    func refusal(_ refusal: HTTPRefusal) -> HTTPResponse {
        let code: CloudErrorCode =
            switch refusal {
            case .bodyTooLarge: .quotaExceeded
            case .foreignHost: .accessDenied
            case .stopping, .tooManyConnections, .answerTimedOut, .bodiesTooLarge: .tryAgainLater
            case .bodyNotStored, .invalidResponse: .internalError
            default: .badRequest
            }
        let retry = code == .tryAgainLater ? 1 : nil
        var error = CloudError(code, refusal.message, retryAfterSeconds: retry)
        if case .bodyTooLarge(let maximum) = refusal { error.limit = ExceededLimit("bodyBytesMax", maximum) }
        return ErrorEncoding.response(error, status: refusal.status)
    }
}
