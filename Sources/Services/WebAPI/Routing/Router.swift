import CloudModel
import HTTPServer

/// Leads the requests of a port to its mounts, and does once what is the same for all: finding the route, 405, preflights and
/// CORS headers, the container, names of answers, errors.
struct Router: HTTPHandler {
    /// All rows of all mounts.
    let routes: [Route]
    private let tree: RouteTree
    private let scopes: ScopeTable
    private let dialect: any Dialect

    /// - Parameter scopes: what paths with `{container}` are served from.
    init(_ mounts: [any Mount], scopes: ScopeTable = ScopeTable(), dialect: any Dialect = CloudDialect()) {
        routes = mounts.flatMap(\.routes)
        tree = RouteTree(routes)
        self.scopes = scopes
        self.dialect = dialect
    }

    func admit(_ head: HTTPRequestHead) -> HTTPAdmission {
        guard var visit = visit(head) else { return .refuse(dialect.notFound(head)) }
        let route = visit.route
        if isPreflight(head, route) { return .body(maximumBytes: 0, admitted: visit) }
        guard route.methods.contains(head.method) else {
            return .refuse(dialect.wrongMethod(head.method, route, route.origins.fixedHeaders ?? []))
        }
        do throws(CloudError) {
            return try route.admit(head, &visit).carrying(visit)
        } catch {
            var response = dialect.failure(error, RequestID.make(), route.name)
            response.headers += route.origins.headers(refused: head, visit)
            return .refuse(response)
        }
    }

    func answer(_ request: HTTPRequest) -> HTTPAnswer {
        // A request that the server did not admit, as in tests of this alone, has its route found now.
        guard var visit = request.admitted as? Visit ?? visit(request.head) else {
            return .now(dialect.notFound(request.head))
        }
        if case .page(let page) = visit.route.work { return .now(page()) }
        visit.id = RequestID.make()
        if isPreflight(request.head, visit.route) {
            guard let headers = visit.route.origins.fixedHeaders else {
                return .later { [visit] in await preflight(request, visit) }
            }
            return .now(visit.route.origins.preflight(request, visit, headers))
        }
        switch visit.route.work {
        case .page(let page): return .now(page())
        case .now(let work): return .now(respondNow(request, visit, work))
        case .later(let work): return .later { [visit] in await respond(request, visit, work) }
        case .held(let work):
            return .held { [visit] rested in
                var visit = visit
                visit.rested = rested
                return await respond(request, visit, work)
            }
        }
    }

    func refusal(_ refusal: HTTPRefusal) -> HTTPResponse { dialect.refusal(refusal) }

    /// Finds the route of a request; nil when its path leads nowhere.
    private func visit(_ head: HTTPRequestHead) -> Visit? {
        tree.route(of: head.pathSegments).map { Visit($0, head.pathSegments, scopes) }
    }

    /// Returns true if a browser asks what it may do, and is told.
    private func isPreflight(_ head: HTTPRequestHead, _ route: Route) -> Bool {
        head.method == "OPTIONS" && route.origins.answersPreflights && CrossOrigin.isPreflight(head)
    }

    private func preflight(_ request: HTTPRequest, _ visit: Visit) async -> HTTPResponse {
        do {
            let origins = visit.route.origins
            return origins.preflight(request, visit, try await origins.headers(request, visit))
        } catch {
            return dialect.failure(error, visit.id, visit.route.name)
        }
    }

    private func respond(
        _ request: HTTPRequest, _ visit: Visit, _ work: (HTTPRequest, Visit) async throws -> HTTPResponse
    ) async -> HTTPResponse {
        let headers: [(String, String)]
        do {
            headers = try await visit.route.origins.headers(request, visit)
        } catch {
            return dialect.failure(error, visit.id, visit.route.name)
        }
        let result: Result<HTTPResponse, any Error>
        do {
            result = .success(try await work(request, visit))
        } catch {
            result = .failure(error)
        }
        return finished(result, visit, headers)
    }

    private func respondNow(
        _ request: HTTPRequest, _ visit: Visit, _ work: (HTTPRequest, Visit) throws -> HTTPResponse
    ) -> HTTPResponse {
        finished(Result { try work(request, visit) }, visit, visit.route.origins.fixedHeaders ?? [])
    }

    /// The answer with its name, and with what a browser is told.
    private func finished(
        _ result: Result<HTTPResponse, any Error>, _ visit: Visit, _ headers: [(String, String)]
    ) -> HTTPResponse {
        var response: HTTPResponse
        switch result {
        case .success(let resting) where resting.isResting: return resting
        case .success(let made):
            response = made
            dialect.name(&response, visit.id)
        case .failure(let error): response = dialect.failure(error, visit.id, visit.route.name)
        }
        response.headers += headers
        return response
    }
}

extension HTTPAdmission {
    /// The same, with what is to be found again when the body is there.
    fileprivate func carrying(_ visit: Visit) -> HTTPAdmission {
        switch self {
        case .body(let bytes, let account, let yields, let form, _):
            .body(maximumBytes: bytes, account: account, yields: yields, form: form, admitted: visit)
        case .file(let directory, let bytes, let account, let form, _):
            .file(directory: directory, maximumBytes: bytes, account: account, form: form, admitted: visit)
        case .refuse: self
        }
    }
}
