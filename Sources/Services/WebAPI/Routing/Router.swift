import CloudModel
import HTTPServer

/// Passes the requests of a port to its mounts, and does the work that all share: rates of addresses, finding the route,
/// 405, preflights and CORS headers, the container, names of answers, errors.
struct Router: HTTPHandler {
    /// All rows of all mounts.
    let routes: [Route]
    private let tree: RouteTree
    private let scopes: ScopeTable
    private let rates: RateGuard
    private let dialect: any Dialect
    /// Indicates whether what changes something is refused.
    private let isReadOnly: Bool
    /// Headers of answers by the first segment of their path.
    private let areas: [String: [(String, String)]]

    /// - Parameters:
    ///   - scopes: what paths with `{container}` are served from.
    ///   - rates: counts the requests; nothing is refused without.
    ///   - isReadOnly: whether requests that change something are refused.
    init(
        _ mounts: [any Mount], scopes: ScopeTable = ScopeTable(), rates: RateGuard = RateGuard(RateLimits()),
        dialect: any Dialect = CloudDialect(), isReadOnly: Bool = false
    ) {
        routes = mounts.flatMap(\.routes)
        tree = RouteTree(routes)
        self.scopes = scopes
        self.rates = rates
        self.dialect = dialect
        self.isReadOnly = isReadOnly
        areas = Dictionary(mounts.compactMap(\.area).map { ($0.segment, $0.headers) }) { first, _ in first }
    }

    /// Counts a request to its address before anything else, whatever it asks for; a refused one counts once more.
    func admit(_ head: HTTPRequestHead) -> HTTPAdmission {
        let admission = admission(of: head)
        guard case .refuse(let response) = admission else { return admission }
        return .refuse(inArea(response, head))
    }

    private func admission(of head: HTTPRequestHead) -> HTTPAdmission {
        var visit = visit(head)
        do throws(CloudError) {
            try rates.begin(from: head.client)
            let admission = try admit(head, &visit)
            if case .refuse(let response) = admission {
                return .refuse(counted(response, visit, from: head.client))
            }
            if visit?.isRecognized != true { try rates.checkRefusals(of: head.client) }
            return admission
        } catch {
            let response = dialect.failure(error, RequestID.make(), visit?.route.name ?? "")
            return .refuse(readable(counted(response, visit, from: head.client), head, visit))
        }
    }

    private func admit(_ head: HTTPRequestHead, _ found: inout Visit?) throws(CloudError) -> HTTPAdmission {
        guard var visit = found else { return .refuse(dialect.notFound(head)) }
        defer { found = visit }
        let route = visit.route
        if isPreflight(head, route) {
            visit.note(isGood: route.origins.knowsToken(head, visit) == true)
            return .body(maximumBytes: 0, admitted: visit)
        }
        guard route.methods.contains(head.method) else {
            return .refuse(dialect.wrongMethod(head.method, route, route.origins.fixedHeaders ?? []))
        }
        if isReadOnly, !route.isReading(head.method) {
            throw CloudError(
                .accessDenied, "\(route.title) changes something, and this listener is read-only (console-read-only)")
        }
        return try route.admit(head, &visit).carrying(visit)
    }

    func answer(_ request: HTTPRequest) -> HTTPAnswer {
        guard areas[request.pathSegments.first ?? ""] != nil else { return routed(request) }
        return switch routed(request) {
        case .now(let response): .now(inArea(response, request.head))
        case .later(let work): .later { inArea(await work(), request.head) }
        case .held(let work): .held { inArea(await work($0), request.head) }
        }
    }

    private func routed(_ request: HTTPRequest) -> HTTPAnswer {
        // A request that the server did not admit, as in tests of this alone, has its route found now.
        guard var visit = request.admitted as? Visit ?? visit(request.head) else {
            return .now(dialect.notFound(request.head))
        }
        rates.take(request.body.count, .bytes, visit.payer)
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

    func refusal(_ refusal: HTTPRefusal, ofUnadmittedFrom client: ClientAddress?) -> HTTPResponse {
        do throws(CloudError) {
            try rates.begin(from: client)
            return counted(dialect.refusal(refusal), nil, from: client)
        } catch {
            return dialect.failure(error, RequestID.make(), "")
        }
    }

    func sending(_ bytes: Int, to client: ClientAddress?, admitted: (any Sendable)?) {
        rates.take(bytes, .bytes, (admitted as? Visit)?.payer ?? Payer(address: client))
    }

    /// The answer with the headers of its path's area.
    private func inArea(_ response: HTTPResponse, _ head: HTTPRequestHead) -> HTTPResponse {
        guard let headers = areas[head.pathSegments.first ?? ""], !response.isResting else { return response }
        let own = Set(response.headers.map { $0.0.lowercased() })
        var response = response
        response.headers += headers.filter { !own.contains($0.0.lowercased()) }
        return response
    }

    /// Finds the route of a request; nil when its path leads nowhere.
    private func visit(_ head: HTTPRequestHead) -> Visit? {
        tree.route(of: head.pathSegments).map { Visit($0, head.pathSegments, scopes, from: head.client) }
    }

    /// Counts a refusal to the address that caused it, and returns the answer: another one for an address that was
    /// refused too often. A recognized request counts if its credentials are good no longer.
    private func counted(_ response: HTTPResponse, _ visit: Visit?, from client: ClientAddress?) -> HTTPResponse {
        let status = response.status
        let isRefusal = visit?.isRecognized == true ? [401, 421].contains(status) : (400..<500).contains(status)
        guard isRefusal, status != 429 else { return response }
        do throws(CloudError) {
            try rates.refuse(client)
            return response
        } catch {
            return dialect.failure(error, RequestID.make(), visit?.route.name ?? "")
        }
    }

    /// The answer to a request that is refused by its head, for a page that may read it.
    private func readable(_ response: HTTPResponse, _ head: HTTPRequestHead, _ visit: Visit?) -> HTTPResponse {
        guard let visit else { return response }
        var response = response
        response.headers += visit.route.origins.headers(refused: head, visit)
        return response
    }

    /// Returns true for a CORS preflight that the route answers.
    private func isPreflight(_ head: HTTPRequestHead, _ route: Route) -> Bool {
        head.method == "OPTIONS" && route.origins.answersPreflights && CrossOrigin.isPreflight(head)
    }

    private func preflight(_ request: HTTPRequest, _ visit: Visit) async -> HTTPResponse {
        do {
            let origins = visit.route.origins
            let headers = try await origins.headers(request, visit)
            // A preflight with an unknown token reads the store, and no browser makes many of them.
            if origins.knowsToken(request.head, visit) == false { try rates.refuse(visit.payer.address) }
            return origins.preflight(request, visit, headers)
        } catch {
            return counted(dialect.failure(error, visit.id, visit.route.name), visit, from: visit.payer.address)
        }
    }

    private func respond(
        _ request: HTTPRequest, _ visit: Visit, _ work: (HTTPRequest, Visit) async throws -> HTTPResponse
    ) async -> HTTPResponse {
        let headers: [(String, String)]
        do {
            headers = try await visit.route.origins.headers(request, visit)
        } catch {
            return counted(dialect.failure(error, visit.id, visit.route.name), visit, from: visit.payer.address)
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

    /// The answer with its name, and with the CORS headers.
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
        response = counted(response, visit, from: visit.payer.address)
        response.headers += headers
        return response
    }
}

extension HTTPAdmission {
    /// The admission with a value that is returned with the body.
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
