import CloudModel
import HTTPServer
import Identity
import RecordService
import TextForms

/// The page that users of web apps sign in on, and the address that the OpenID provider sends them back to (spec section 5.14).
/// A session goes to the page that opened the window, to an address, or into the page of a share.
struct SignInMount: Mount {
    let rates: RateGuard
    /// Bytes of a form.
    static let formBytesMax = 16 << 10

    var routes: [Route] {
        let prefix = "/auth/1/{container}/{environment}"
        return [
            Route(
                "auth/start", title: "the sign-in page", path: "\(prefix)/start", methods: ["GET", "POST"],
                admit: { head, _ throws(CloudError) in
                    try rates.begin(nil, address: head.client)
                    return .body(maximumBytes: head.method == "POST" ? Self.formBytesMax : 0)
                },
                work: .later { request, visit in
                    try await answer(request, visit) { scope in
                        try await request.method == "POST" ? begin(request, scope) : page(request, scope)
                    }
                }),
            Route(
                "auth/callback", title: "the end of a sign-in", path: "\(prefix)/callback",
                admit: { head, _ throws(CloudError) in
                    try rates.begin(nil, address: head.client)
                    return .body(maximumBytes: 0)
                },
                work: .later { request, visit in
                    try await answer(request, visit) { try await finish(request, $0) }
                }),
        ]
    }

    /// Words errors for people.
    private func answer(
        _ request: HTTPRequest, _ visit: Visit, _ work: (APIScope) async throws -> HTTPResponse
    ) async throws -> HTTPResponse {
        do {
            return try await work(try visit.servedScope())
        } catch let error as CloudError {
            if error.isAboutCredentials { try rates.refuse(request.head.client) }
            return SignInPages.failure(error, title: "Signing in did not work").response(
                status: error.code.httpStatus)
        }
    }

    private static func offer(_ scope: APIScope) throws(CloudError) -> IdentityService.PageSignIn {
        guard let offer = scope.pageSignIn else {
            throw CloudError(
                .accessDenied,
                "nobody signs in on this page: the settings oidc-issuer and oidc-audience name an OpenID provider")
        }
        return offer
    }

    private func page(_ request: HTTPRequest, _ scope: APIScope) async throws -> HTTPResponse {
        let offer = try Self.offer(scope)
        return SignInPages.start(try await SignInRequest(request.query, scope), offer, scope.scope).response()
    }

    /// Begins what the page's button says: at the provider, or at once for a name.
    private func begin(_ request: HTTPRequest, _ scope: APIScope) async throws -> HTTPResponse {
        let offer = try Self.offer(scope)
        guard let form = request.formItems else { throw CloudError.badRequest("the body is no form") }
        try PageOrigin.check(request, scope)
        let attempt = SignInAttempt(
            to: try await SignInRequest(form, scope).destination,
            isKeptSignedIn: form.contains { $0.name == SignInRequest.Name.keep && !$0.value.isEmpty },
            at: scope.identity.now())
        if offer.takesNames, let name = form.first(where: { $0.name == SignInRequest.Name.user })?.value {
            return try await handOver(try await scope.identity.signInForDevelopment(as: name), attempt, request, scope)
        }
        let address = try await scope.identity.providerAddress(of: attempt, redirect: redirect(request, scope))
        let sealed = scope.signIns?.seal(attempt, in: scope.scope) ?? ""
        return HTTPResponse(
            status: 303,
            headers: [
                ("Location", address), ("Cache-Control", "no-store"),
                ("Set-Cookie", cookie(attempt.state, sealed, SignInAttempt.lifetime, request, scope)),
            ])
    }

    /// Takes the provider's answer.
    private func finish(_ request: HTTPRequest, _ scope: APIScope) async throws -> HTTPResponse {
        let state = request.queryValue("state") ?? ""
        guard let signIns = scope.signIns else { throw CloudError(.notFound, "nobody signs in on a page here") }
        let attempt = try signIns.open(
            Self.cookie(named: Self.cookieName(state), request), state: state, in: scope.scope,
            at: scope.identity.now())
        if let error = request.queryValue("error") {
            let more = request.queryValue("error_description").map { ": \($0.prefix(200))" } ?? ""
            throw CloudError(.authenticationFailed, "the provider refused the sign-in (\(error.prefix(80)))\(more)")
        }
        guard let code = request.queryValue("code") else {
            throw CloudError.badRequest("the provider's answer has no code")
        }
        let user = try await scope.identity.signIn(
            code: code, of: attempt, redirect: redirect(request, scope))
        var response = try await handOver(user, attempt, request, scope)
        // The attempt is over: a page that is loaded again begins no second session.
        response.headers.append(("Set-Cookie", cookie(state, "", .zero, request, scope)))
        return response
    }

    private func handOver(
        _ user: UserRecordName, _ attempt: SignInAttempt, _ request: HTTPRequest, _ scope: APIScope
    ) async throws -> HTTPResponse {
        // As after the other sign-in: users/caller makes up for what cannot be written now.
        try? await scope.records.makeUserRecord(of: user)
        if case .share(let guid) = attempt.destination {
            return try await ShareMount.page(of: guid, for: user, scope)
        }
        let session = try await scope.identity.beginSession(of: user, isBrief: !attempt.isKeptSignedIn)
        let token = scope.token(of: session).token
        switch attempt.destination {
        case .opener(let origin): return SignInPages.handOver(token, to: origin).response()
        case .callback(let address):
            let item = PercentEncoding.form(["ckWebAuthToken": token])
            return HTTPResponse(
                status: 303,
                headers: [
                    ("Location", "\(address)\(address.contains("?") ? "&" : "?")\(item)"),
                    ("Cache-Control", "no-store"), ("Referrer-Policy", "no-referrer"),
                ])
        case .share, .reader: return SignInPages.show(token).response()
        }
    }

    // MARK: The way back

    /// The address that the provider sends browsers back to; it has to be registered there.
    private func redirect(_ request: HTTPRequest, _ scope: APIScope) -> String {
        "\(scope.url(asSeenBy: request.head))/auth/1/\(scope.scope.container)/\(scope.scope.environment)/callback"
    }

    /// Sign-ins in several windows do not disturb each other.
    private static func cookieName(_ state: String) -> String { "fanfare-sign-in-\(state.prefix(8))" }

    private func cookie(
        _ state: String, _ value: String, _ lifetime: Duration, _ request: HTTPRequest, _ scope: APIScope
    ) -> String {
        let secure = scope.url(asSeenBy: request.head).hasPrefix("https:") ? "; Secure" : ""
        return "\(Self.cookieName(state))=\(value); Path=/; Max-Age=\(lifetime.components.seconds)"
            + "; HttpOnly; SameSite=Lax\(secure)"
    }

    private static func cookie(named name: String, _ request: HTTPRequest) -> String? {
        for header in request.headers.values("Cookie") {
            for item in header.split(separator: ";") {
                let item = item.drop { $0 == " " }
                if item.hasPrefix("\(name)=") { return String(item.dropFirst(name.count + 1)) }
            }
        }
        return nil
    }
}
