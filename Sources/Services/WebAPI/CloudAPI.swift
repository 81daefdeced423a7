import CloudModel
package import HTTPServer
import Identity
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
    private let works = Works()
    private let rates: RateGuard

    /// Serves these containers and environments.
    /// - Parameters:
    ///   - bodyBytesMax: bytes of a request's body.
    ///   - rates: what senders may ask for in a while; nothing is refused without.
    package init(
        _ scopes: [APIScope], bodyBytesMax: Int = Limits.requestBodyBytesDefaultMax, rates: RateLimits = RateLimits()
    ) {
        self.rates = RateGuard(rates)
        self.scopes = Dictionary(scopes.map { ($0.scope, $0) }) { first, _ in first }
        self.bodyBytesMax = bodyBytesMax
    }

    package func admit(_ head: HTTPRequestHead) -> HTTPAdmission {
        if head.path == ServedDocument.path { return ServedDocument.admit(head.method) }
        if head.path == CourierPoll.path { return CourierPoll.admit(head) }
        if let asset = AssetRoute(segments: head.pathSegments) {
            return AssetTransfer(asset, scopes, rates).admit(head)
        }
        guard let route = Route(segments: head.pathSegments) else {
            return .refuse(ErrorEncoding.response(Self.noHandler(head.path)))
        }
        let methods = route.endpoint.methods
        guard methods.contains(head.method) || CrossOrigin.isPreflight(head.method, head.headers) else {
            let allowed = methods.joined(separator: ", ")
            let error = CloudError.badRequest("\(route.endpoint.rawValue) answers \(allowed), not \(head.method)")
            var response = ErrorEncoding.response(error, status: 405)
            response.headers.append(("Allow", allowed))
            return .refuse(response)
        }
        if CrossOrigin.isPreflight(head.method, head.headers) { return .body(maximumBytes: 0) }
        return admit(head, route)
    }

    /// Looks at the credentials of a request before its body is read.
    private func admit(_ head: HTTPRequestHead, _ route: Route) -> HTTPAdmission {
        let scope: APIScope
        do {
            scope = try self.scope(of: route)
        } catch {
            return .refuse(ErrorEncoding.response(error))
        }
        do {
            let admission: Admission
            do throws(CloudError) {
                admission = try Admission(head, route, scope)
            } catch {
                if error.isAboutCredentials { try rates.refuse(head.client) }
                throw error
            }
            try rates.begin(admission)
            return .body(
                maximumBytes: admission.bodyBytesMax(bodyBytesMax), account: admission.sender.account,
                yields: admission.sender.isVisitor,
                admitted: admission)
        } catch {
            var response = Self.failure(error, RequestID.make(), route.endpoint.rawValue)
            response.headers += CrossOrigin(refused: head, scope)?.headers ?? []
            return .refuse(response)
        }
    }

    package func answer(_ request: HTTPRequest) -> HTTPAnswer {
        Self.requests.increment()
        if request.path == ServedDocument.path { return .now(ServedDocument.answer()) }
        if request.path == CourierPoll.path { return CourierPoll.answer(request, scopes, rates) }
        if let asset = AssetRoute(segments: request.pathSegments) {
            return AssetTransfer(asset, scopes, rates).answer(request)
        }
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
            let response = await respond(request, route, scope)
            if !isWaiting { Self.durations.record(ContinuousClock().now - began) }
            return response
        }
        return isWaiting ? .held(work) : .later(work)
    }

    package func refusal(_ refusal: HTTPRefusal) -> HTTPResponse {
        let code: CloudErrorCode =
            switch refusal {
            case .bodyTooLarge: .quotaExceeded
            case .stopping, .tooManyConnections, .answerTimedOut, .bodiesTooLarge: .tryAgainLater
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
            let knows = scopes.keys.contains { $0.container == container }
            throw CloudError(
                .notFound,
                knows
                    ? "this service does not serve \(environment) of '\(container)'; the setting 'environments' lists what it does"
                    : "this service has no container '\(container)'; the setting 'containers' lists them")
        }
        return scope
    }

    /// The answer, with what tells a browser whether the page may read it.
    private func respond(_ request: HTTPRequest, _ route: Route, _ scope: APIScope) async -> HTTPResponse {
        let id = RequestID.make()
        do {
            let crossOrigin = try await CrossOrigin(request, scope)
            if request.method == "OPTIONS", let crossOrigin {
                return crossOrigin.preflight(request, methods: route.endpoint.methods)
            }
            var response = await respond(request, route, scope, id)
            response.headers += crossOrigin?.headers ?? []
            return response
        } catch {
            return Self.failure(error, id, route.endpoint.rawValue)
        }
    }

    private func respond(
        _ request: HTTPRequest, _ route: Route, _ scope: APIScope, _ id: String
    ) async -> HTTPResponse {
        // Of a request that the server did not admit, as in tests of this alone, the head is looked at now.
        var admission = request.admitted as? Admission
        do {
            if admission == nil { admission = try Admission(request.head, route, scope) }
            let response = try await respond(request, route, scope, id, admission!)
            rates.take(request.body.count + (response.bytesCount ?? 0), .bytes, admission!)
            return response
        } catch {
            if let error = error as? CloudError, error.isAboutCredentials {
                // What was taken back admits no large body either, from now on.
                if admission?.isKnown == true { scope.credentials.refreshSoon() }
                do throws(CloudError) {
                    try rates.refuse(request.head.client)
                } catch {
                    return Self.failure(error, id, route.endpoint.rawValue)
                }
            }
            if let admission { rates.take(request.body.count, .bytes, admission) }
            return Self.failure(error, id, route.endpoint.rawValue)
        }
    }

    private func respond(
        _ request: HTTPRequest, _ route: Route, _ scope: APIScope, _ id: String, _ admission: Admission
    ) async throws -> HTTPResponse {
        let credentials = try await Credentials(request, scope)
        // Made a moment ago: the next request has its body admitted by it.
        if !admission.isKnown { try await scope.credentials.refresh() }
        try Authorization.check(credentials.kind, route)
        let call = APICall(
            request: request, route: route, scope: scope, caller: credentials.caller, session: credentials.session,
            sender: admission.sender, works: works, charge: { rates.take($0, .cost, admission) })
        var response = try await holding(route, admission) { try await call.response() }
        response.headers.append((RequestID.header, id))
        if let session = credentials.session, !route.endpoint.isAboutSessions {
            response.headers.append(("X-Apple-CloudKit-Web-Auth-Token", scope.token(of: session).token))
        }
        return response
    }

    /// Counts requests that wait for something to happen, for as long as they do: a stream's until it ends.
    private func holding(
        _ route: Route, _ admission: Admission, _ work: () async throws -> HTTPResponse
    ) async throws -> HTTPResponse {
        guard route.endpoint == .notificationsChanges || route.endpoint == .notificationsStream else {
            return try await work()
        }
        let held = try rates.hold(admission.sender, admission.credential)
        do {
            let response = try await work()
            if case .stream(let stream) = response.body { stream.onClose { _ in held.end() } } else { held.end() }
            return response
        } catch {
            held.end()
            throw error
        }
    }

    /// The answer to what went wrong. What is no `CloudError` is a fault of ours: its text goes to the log alone, under the
    /// name of the answer.
    static func failure(_ error: any Error, _ id: String, _ endpoint: String) -> HTTPResponse {
        if let error = error as? CloudError { return ErrorEncoding.response(error, id: id) }
        if error is CancellationError {
            return ErrorEncoding.response(
                CloudError(.tryAgainLater, "the service is stopping; try again", retryAfterSeconds: 1), id: id)
        }
        failures.increment()
        Log.error("request.failed", ["endpoint": endpoint, "request": id, "error": "\(error)"])
        return ErrorEncoding.response(
            CloudError(.internalError, "the service could not do this; its log has the reason under this uuid"), id: id)
    }
}
