import CloudModel
package import HTTPServer
import JSON
import RecordService
import Telemetry

/// CloudKit Web Services and the device endpoints over HTTP.
package struct CloudAPI: HTTPHandler {
    static let requests = Counter("fanfare_web_api_requests_total", "Requests to the public port.")
    static let failures = Counter(
        "fanfare_web_api_errors_total", "Requests that failed because of a fault of the service's own.")
    static let durations = Histogram(
        "fanfare_web_api_request_seconds", "From a request's last byte to its answer, held answers left out.")

    private let scopes: [ContainerEnvironment: APIScope]
    private let bodyBytesMax: Int

    /// Serves these containers and environments.
    /// - Parameter bodyBytesMax: bytes of a request's body.
    package init(_ scopes: [APIScope], bodyBytesMax: Int = Limits.requestBodyBytesDefaultMax) {
        self.scopes = Dictionary(scopes.map { ($0.scope, $0) }) { first, _ in first }
        self.bodyBytesMax = bodyBytesMax
    }

    package func admit(_ head: HTTPRequestHead) -> HTTPAdmission {
        if head.path == ServedDocument.path { return ServedDocument.admit(head.method) }
        guard let route = Route(segments: head.pathSegments) else {
            return .refuse(ErrorEncoding.response(Self.noHandler(head.path)))
        }
        guard head.method == route.endpoint.method else {
            let error = CloudError.badRequest(
                "\(route.endpoint.rawValue) answers \(route.endpoint.method), not \(head.method)")
            var response = ErrorEncoding.response(error, status: 405)
            response.headers.append(("Allow", route.endpoint.method))
            return .refuse(response)
        }
        return .body(maximumBytes: bodyBytesMax)
    }

    package func answer(_ request: HTTPRequest) -> HTTPAnswer {
        Self.requests.increment()
        if request.path == ServedDocument.path { return .now(ServedDocument.answer()) }
        guard let route = Route(segments: request.pathSegments) else {
            return .now(ErrorEncoding.response(Self.noHandler(request.path)))
        }
        let scope: APIScope
        do {
            scope = try self.scope(of: route)
        } catch {
            return .now(ErrorEncoding.response(error))
        }
        // What only waits may be cut short when the server ends; what changes something is let finish.
        let isWaiting = route.endpoint == .notificationsChanges
        let work: @Sendable () async -> HTTPResponse = {
            let began = ContinuousClock().now
            let response = await Self.respond(request, route, scope)
            if !isWaiting { Self.durations.record(ContinuousClock().now - began) }
            return response
        }
        return isWaiting ? .held(work) : .later(work)
    }

    package func refusal(_ refusal: HTTPRefusal) -> HTTPResponse {
        let code: CloudErrorCode =
            switch refusal {
            case .bodyTooLarge: .quotaExceeded
            case .stopping, .tooManyConnections, .answerTimedOut: .tryAgainLater
            case .bodyNotStored, .invalidResponse: .internalError
            default: .badRequest
            }
        let retry = code == .tryAgainLater ? 1 : nil
        return ErrorEncoding.response(
            CloudError(code, refusal.message, retryAfterSeconds: retry), status: refusal.status)
    }

    private static func noHandler(_ path: String) -> CloudError {
        CloudError(.notFound, "could not find handler for endpoint '\(path)'")
    }

    private func scope(of route: Route) throws(CloudError) -> APIScope {
        guard let environment = CloudEnvironment(rawValue: route.environment) else {
            throw .badRequest("the environment is development or production, not '\(route.environment)'")
        }
        let container = try ContainerIdentifier(route.container)
        let wanted = ContainerEnvironment(container: container, environment: environment)
        guard let scope = scopes[wanted] else {
            throw CloudError(
                .notFound, "this service has no container '\(container)'; the setting 'containers' lists them")
        }
        return scope
    }

    private static func respond(_ request: HTTPRequest, _ route: Route, _ scope: APIScope) async -> HTTPResponse {
        do {
            let credentials = try await Credentials(request, route, scope)
            let call = APICall(request: request, route: route, scope: scope, caller: credentials.caller)
            var response = try await call.response()
            response.headers.append(("X-Apple-Request-UUID", RequestID.make()))
            if let user = credentials.caller.user, route.endpoint != .signIn {
                let fresh = scope.webAuthTokens.make(for: user, in: scope.scope, at: scope.records.now())
                response.headers.append(("X-Apple-CloudKit-Web-Auth-Token", fresh.token))
            }
            return response
        } catch let error as CloudError {
            return ErrorEncoding.response(error)
        } catch is CancellationError {
            return ErrorEncoding.response(
                CloudError(.tryAgainLater, "the service is stopping; try again", retryAfterSeconds: 1))
        } catch {
            failures.increment()
            Log.error("request.failed", ["endpoint": route.endpoint.rawValue, "error": "\(error)"])
            return ErrorEncoding.response(
                CloudError(.internalError, "the service could not do this; its log has the reason"))
        }
    }
}
