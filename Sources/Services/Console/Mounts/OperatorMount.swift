import CloudJSON
import CloudModel
import HTTPServer
import JSON
import RecordService
import RecordStore
import Telemetry
package import WebAPI

/// The API of operators: sessions, and what they ask for in a container's environment (`DESIGN.md`).
package struct OperatorMount: Mount {
    let sessions: OperatorSessions
    let system: OperatedSystem
    /// Counts what operators ask for, apart from users.
    let rates: RateGuard
    /// Origins of pages that may ask, beside the one that the request came to.
    let origins: Set<String>
    let isReadOnly: Bool

    /// - Parameters:
    ///   - requestsPerSecond: of one operator; 0 is no bound.
    ///   - origins: the origins of `public-url` or `console-url`.
    ///   - isReadOnly: whether what changes something is refused.
    package init(
        _ sessions: OperatorSessions, _ system: OperatedSystem, requestsPerSecond: Int = 200, origins: [String] = [],
        isReadOnly: Bool = false
    ) {
        self.sessions = sessions
        self.system = system
        var limits = RateLimits()
        limits.user.requests = Double(requestsPerSecond)
        rates = RateGuard(limits)
        self.origins = Set(origins)
        self.isReadOnly = isReadOnly
    }

    package var area: MountArea? {
        MountArea(
            segment: "operator",
            headers: [
                ("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'"),
                ("Cache-Control", "no-store"),
                ("X-Content-Type-Options", "nosniff"), ("Referrer-Policy", "no-referrer"),
                ("Cross-Origin-Resource-Policy", "same-origin"),
            ])
    }

    /// All rows: what a new one has to obey is tested for each of them.
    static let endpoints: [OperatorEndpoint] =
        overview + schema + users + devices + subscriptions + credentials + changes + delivered + running + record
        + couriers + secrets + watching + audits

    package var routes: [Route] { sessionRoutes + Self.endpoints.map(route) }

    private func route(_ endpoint: OperatorEndpoint) -> Route {
        Route(
            "operator/\(endpoint.name)", title: endpoint.name,
            path: PathPattern("/operator/1/{container}/{environment}/\(endpoint.name)"), methods: ["POST"],
            // What changes something is refused below, so that the attempt is on record.
            reading: .all, admit: { head, visit throws(CloudError) in try admit(head, &visit) },
            work: .later { request, visit in try await answer(request, visit, endpoint) })
    }

    // MARK: Admission

    private func admit(_ head: HTTPRequestHead, _ visit: inout Visit) throws(CloudError) -> HTTPAdmission {
        let session = try session(head)
        let sender = Sender.operating(session.who.name)
        visit.note(sender, isGood: true)
        try rates.begin(sender, nil)
        return .body(maximumBytes: Limits.operatorBodyBytesMax, account: sender.account)
    }

    /// Finds the session of a request that a page of the console's or a program makes.
    /// - Throws: `ACCESS_DENIED` for a foreign page, `AUTHENTICATION_REQUIRED`, `AUTHENTICATION_FAILED`.
    func session(_ head: HTTPRequestHead) throws(CloudError) -> OperatorSession {
        try checkPage(head)
        return try sessions.session(of: try Self.token(head))
    }

    /// Refuses what pages of other origins send.
    func checkPage(_ head: HTTPRequestHead) throws(CloudError) {
        try FetchSite.check(head)
        guard head.headers["X-Fanfare-Console"] == "1" else {
            throw CloudError(.accessDenied, "requests of operators have the header X-Fanfare-Console: 1")
        }
        guard let origin = head.headers["Origin"], !origins.contains(origin.lowercased()) else { return }
        // The name in `Host` is one of the service's: the server has checked it.
        let host = head.headers["Host"]?.lowercased() ?? ""
        guard ["http://\(host)", "https://\(host)"].contains(origin.lowercased()) else {
            throw CloudError(.accessDenied, "the request comes from a page of the origin '\(origin.prefix(200))'")
        }
    }

    static func token(_ head: HTTPRequestHead) throws(CloudError) -> String {
        for value in head.headers.values("Authorization") where value.lowercased().hasPrefix("bearer ") {
            return String(value.dropFirst(7).drop { $0 == " " })
        }
        throw CloudError(
            .authenticationRequired,
            "this needs an operator's session: Authorization: Bearer …, from operator/1/sessions")
    }

    // MARK: Work

    private func answer(
        _ request: HTTPRequest, _ visit: Visit, _ endpoint: OperatorEndpoint
    ) async throws -> HTTPResponse {
        // Once more: it may have ended while the body came.
        let who = try session(request.head).who
        let scope = try visit.servedScope()
        let body = try Self.body(request)
        let role = endpoint.isOfService ? who.serviceRole : who.role(in: scope.scope)
        let act = OperatorAction(
            time: scope.records.now(), who: who.name, role: role?.rawValue ?? "none", act: endpoint.name,
            subject: Self.subject(body, endpoint), request: visit.id, outcome: OperatorAction.done)
        let acting = OperatorActing(act, scope)
        let call = OperatorCall(scope: scope, system: system, who: who, body: body)
        guard !endpoint.effect.isReading else {
            if role == nil { acting.log(CloudErrorCode.accessDenied.rawValue) }
            _ = try Self.role(role, who, endpoint)
            if endpoint.effect == .readsPeople { acting.log(OperatorAction.done) }
            return JSONResponse.make(try await endpoint.work(call))
        }
        return JSONResponse.make(
            try await acting.run(inSteps: endpoint.effect == .changesInSteps) {
                try checkChanging(Self.role(role, who, endpoint), who, endpoint)
                return try await endpoint.work(call)
            })
    }

    /// The role that an operator needs to have for anything here.
    /// - Throws: `ACCESS_DENIED` without one.
    private static func role(
        _ role: Operator.Role?, _ who: Operator, _ endpoint: OperatorEndpoint
    ) throws(CloudError) -> Operator.Role {
        if let role { return role }
        throw CloudError(
            .accessDenied,
            endpoint.isOfService
                ? "\(endpoint.name) concerns all containers, and '\(who.name)' has rights in some; the setting operators gives them"
                : "'\(who.name)' has no right in this container; the setting operators gives it")
    }

    private func checkChanging(
        _ role: Operator.Role, _ who: Operator, _ endpoint: OperatorEndpoint
    ) throws(CloudError) {
        guard role == .operator else {
            throw CloudError(
                .accessDenied,
                "\(endpoint.name) changes something, and '\(who.name)' is a viewer; the setting operators gives the role operator"
            )
        }
        guard !isReadOnly else {
            throw CloudError(
                .accessDenied,
                "\(endpoint.name) changes something, and this listener is read-only (console-read-only)")
        }
    }

    static func body(_ request: HTTPRequest) throws(CloudError) -> JSONPath {
        guard case .bytes(let bytes) = request.body else { throw .badRequest("the body must be a JSON object") }
        return bytes.isEmpty ? JSONPath([:]) : try JSONPath.body(bytes)
    }

    /// The members of a body that are on record.
    private static func subject(_ body: JSONPath, _ endpoint: OperatorEndpoint) -> String {
        var members = JSONObject()
        for (key, value) in body.value.object ?? [:] where endpoint.recorded?.contains(key) ?? true {
            members[key] = value
        }
        let text = (try? JSONValue.object(members).serialized()) ?? []
        return String(String(decoding: text, as: UTF8.self).prefix(Self.subjectCharactersMax))
    }

    /// Characters of a body that are on record.
    private static let subjectCharactersMax = 2000
}
