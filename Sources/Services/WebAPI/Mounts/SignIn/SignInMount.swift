import CloudModel
import HTTPServer
import Identity
import RecordService
import TextForms

/// The page that users of web apps sign in on, and the address that the OpenID provider sends them back to
/// (docs/cloudkit.md#authentication). A session goes to the page that opened the window, to an address, or into the
/// page of a share.
struct SignInMount: Mount {
    /// Bytes of a form.
    static let formBytesMax = 16 << 10

    var routes: [Route] {
        let prefix = "/auth/1/{container}/{environment}"
        return [
            Route(
                "auth/start", title: "the sign-in page", path: "\(prefix)/start", methods: ["GET", "POST"],
                reading: .all,
                admit: { head, _ in .body(maximumBytes: head.method == "POST" ? Self.formBytesMax : 0) },
                work: .later { request, visit in
                    try await answer(request, visit) { scope in
                        try await request.method == "POST" ? begin(request, scope) : page(request, scope)
                    }
                }),
            Route(
                "auth/callback", title: "the end of a sign-in", path: "\(prefix)/callback",
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
        let destination = try await SignInRequest(form, scope).destination
        let attempt = SignInAttempt(
            to: destination,
            isKeptSignedIn: form.contains { $0.name == SignInRequest.Name.keep && !$0.value.isEmpty },
            at: scope.identity.now())
        // A name is enough for no operator.
        if offer.takesNames, destination.isOfUser,
            let name = form.first(where: { $0.name == SignInRequest.Name.user })?.value
        {
            return try await handOver(attempt, request, scope) {
                try await scope.identity.signInForDevelopment(as: name, admits: $0)
            }
        }
        let address = try await scope.identity.providerAddress(of: attempt, redirect: redirect(request, scope))
        guard let signIns = scope.signIns else { throw Self.hasNoPages }
        var cookie = SignInCookie(request.head, scope)
        return HTTPResponse(
            status: 303,
            headers: [
                ("Location", address), ("Cache-Control", "no-store"),
                ("Set-Cookie", cookie.add(signIns.seal(attempt, in: scope.scope), signIns)),
            ])
    }

    /// Takes the provider's answer.
    private func finish(_ request: HTTPRequest, _ scope: APIScope) async throws -> HTTPResponse {
        let state = request.queryValue("state") ?? ""
        guard let signIns = scope.signIns else { throw Self.hasNoPages }
        var cookie = SignInCookie(request.head, scope)
        let attempt = try cookie.attempt(state, signIns, in: scope.scope, at: scope.identity.now())
        try scope.identity.useUp(attempt)
        if let error = request.queryValue("error") {
            let more = request.queryValue("error_description").map { ": \($0.prefix(200))" } ?? ""
            throw CloudError(.authenticationFailed, "the provider refused the sign-in (\(error.prefix(80)))\(more)")
        }
        guard let code = request.queryValue("code") else {
            throw CloudError.badRequest("the provider's answer has no code")
        }
        if case .operatorChannel(let channel) = attempt.destination {
            let (identity, claims) = try await scope.identity.provenIdentity(
                code: code, of: attempt, redirect: redirect(request, scope),
                from: request.head.client?.network.description ?? "")
            guard let codes = scope.operatorCodes else { throw Self.hasNoPages }
            var page = SignInPages.handOver("code", try codes(identity, claims), onChannel: channel).response()
            page.headers.append(("Set-Cookie", cookie.remove(state, signIns)))
            return page
        }
        var response = try await handOver(attempt, request, scope) {
            try await scope.identity.signIn(
                code: code, of: attempt, redirect: redirect(request, scope),
                from: request.head.client?.network.description ?? "", admits: $0)
        }
        // The attempt is over: a page that is loaded again begins no second session.
        response.headers.append(("Set-Cookie", cookie.remove(state, signIns)))
        return response
    }

    /// Signs in, and gives the session to what it is for. A share needs no API token, so it makes no user who has no
    /// part in it.
    private func handOver(
        _ attempt: SignInAttempt, _ request: HTTPRequest, _ scope: APIScope,
        signIn: (IdentityService.UserAdmission?) async throws -> UserRecordName
    ) async throws -> HTTPResponse {
        let user: UserRecordName
        if case .share(let guid) = attempt.destination {
            do {
                user = try await signIn { try RecordService.takesNewUser(guid, with: $0, $1) }
            } catch let error as CloudError where error.code == .notFound {
                return SharePages.nothing.response(status: 404)
            }
        } else {
            user = try await signIn(nil)
        }
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
        case .channel(let channel):
            return SignInPages.handOver("ckWebAuthToken", token, onChannel: channel).response()
        case .share, .operatorChannel, .reader: return SignInPages.show(token).response()
        }
    }

    // MARK: The way back

    /// The address that the provider sends browsers back to; it has to be registered there.
    private func redirect(_ request: HTTPRequest, _ scope: APIScope) -> String {
        "\(scope.url(asSeenBy: request.head))/auth/1/\(scope.scope.container)/\(scope.scope.environment)/callback"
    }

    private static let hasNoPages = CloudError(.notFound, "nobody signs in on a page here")
}

extension SignInAttempt.Destination {
    /// Indicates whether it is a user who signs in.
    fileprivate var isOfUser: Bool { if case .operatorChannel = self { false } else { true } }
}
