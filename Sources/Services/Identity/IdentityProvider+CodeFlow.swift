import CloudModel
import HTTPClient
import JSON
import Telemetry
import TextForms
import Waiting

/// The authorisation-code flow with PKCE (OpenID Connect Core 3.1, RFC 7636, RFC 9700).
extension IdentityProvider {
    /// The client that the service itself is to the issuer, when it signs users in on a page of its own.
    package struct WebClient: Sendable {
        /// Requests the user, names and an address.
        package static let usualScopes = ["openid", "profile", "email"]

        let id: String
        /// Nil for a public client, which PKCE alone protects.
        let secret: String?
        let scopes: [String]

        package init(id: String, secret: String? = nil, scopes: [String] = Self.usualScopes) {
            self.id = id
            self.secret = secret
            self.scopes = scopes
        }
    }

    /// Endpoints of the issuer's, as its discovery document has them.
    struct Endpoints: Sendable {
        var authorization: String
        var token: String
        /// Indicates whether a secret is sent in the form, as the header is not taken.
        var takesSecretInForm: Bool

        /// Nil where the document lacks one, or names one without TLS though the issuer has it.
        init?(_ discovery: JSONValue, isSecure: Bool) {
            guard let authorization = discovery["authorization_endpoint"]?.string,
                let token = discovery["token_endpoint"]?.string,
                [authorization, token].allSatisfy({ !isSecure || $0.hasPrefix("https://") })
            else { return nil }
            let methods = discovery["token_endpoint_auth_methods_supported"]?.array?.compactMap(\.string)
            self.authorization = authorization
            self.token = token
            takesSecretInForm = methods.map { !$0.contains("client_secret_basic") } ?? false
        }
    }

    /// The address that a browser is sent to.
    /// - Throws: `TRY_AGAIN_LATER` when the issuer cannot be asked where that is.
    func authorizationAddress(of attempt: SignInAttempt, redirect: String) async throws -> String {
        let endpoint = try await endpoints().authorization
        let query = PercentEncoding.form([
            "response_type": "code", "client_id": web.id, "redirect_uri": redirect,
            "scope": web.scopes.joined(separator: " "), "state": attempt.state, "nonce": attempt.nonce,
            "code_challenge": attempt.challenge, "code_challenge_method": "S256",
        ])
        return endpoint + (endpoint.contains("?") ? "&" : "?") + query
    }

    /// The ID token that the issuer gives for a code. Few codes are exchanged at once, fair between clients: issuers
    /// limit the requests of a client, and then nobody signs in.
    /// - Throws: `AUTHENTICATION_FAILED` when it gives none, `TRY_AGAIN_LATER` or `THROTTLED` while too many others are
    ///   exchanged.
    func idToken(
        of attempt: SignInAttempt, code: String, redirect: String, from client: String
    ) async throws -> String {
        let endpoints = try await endpoints()
        do {
            return try await exchanges.pass(
                1, for: client, waitingAtMost: .seconds(Limits.codeExchangePatienceSeconds)
            ) { try await exchange(code, of: attempt, redirect: redirect, at: endpoints) }
        } catch let refusal as WaitingRefusal {
            throw CloudError(
                refusal == .tooManyOfOne ? .throttled : .tryAgainLater,
                "too many others are signing in; begin again in a moment", retryAfterSeconds: 5)
        }
    }

    private func exchange(
        _ code: String, of attempt: SignInAttempt, redirect: String, at endpoints: Endpoints
    ) async throws -> String {
        var form = PercentEncoding.form([
            "grant_type": "authorization_code", "code": code, "redirect_uri": redirect, "client_id": web.id,
            "code_verifier": attempt.verifier,
        ])
        var headers = [("Content-Type", "application/x-www-form-urlencoded"), ("Accept", "application/json")]
        if let secret = web.secret {
            if endpoints.takesSecretInForm {
                form += "&" + PercentEncoding.form(["client_secret": secret])
            } else {
                let pair = "\(PercentEncoding.encode(web.id)):\(PercentEncoding.encode(secret))"
                headers.append(("Authorization", "Basic \(Base64.standard.encode(Array(pair.utf8)))"))
            }
        }
        var request = HTTPClientRequest("POST", endpoints.token, headers: headers, body: .bytes(Array(form.utf8)))
        request.timeout = .seconds(10)
        request.responseBytesMaximum = Self.documentBytesMax
        let response: HTTPClientResponse
        do { response = try await http.send(request) } catch let error as HTTPClientError {
            throw unreachable("\(error)")
        }
        let answer = try? JSONValue(parsing: response.body)
        guard response.status == 200, let token = answer?["id_token"]?.string else {
            let reason = answer?["error"]?.string ?? "status \(response.status), without an ID token"
            if let omitted = codeFailures.next() {
                Log.warning(
                    "sign-in.code.failed",
                    ["issuer": rules.issuer, "error": "\(reason.cut(to: 200))", "omitted": omitted])
            }
            throw CloudError(
                .authenticationFailed, "the provider did not take its own code back: \(reason.cut(to: 200))")
        }
        return token
    }
}

extension String {
    fileprivate func cut(to count: Int) -> String { String(prefix(count)) }
}
