package import Cryptography
package import HTTPServer
package import JSON
package import Synchronization
import TextForms

/// An OpenID Connect issuer for tests, on the loopback address: it has keys, publishes them, and signs given claims.
package final class TestIssuer: HTTPHandler {
    /// What a test changes and looks at.
    package struct State: Sendable {
        /// The keys that it signs with, by ID.
        package var keys: [String: SigningKey] = [:]
        /// Further keys of the set, as they stand.
        package var others: [JSONValue] = []
        /// Whether it answers.
        package var isReachable = true
        /// How often it was asked.
        package var questions = 0
        /// Its name.
        package var url = ""
        /// The user whom its page lets in without a question; nil refuses.
        package var user: String? = "u1"
        /// The nonce of the next ID token, where it is not that of the question.
        package var nonce: String?
        /// The requests by code; a code is valid once.
        var codes: [String: [String: String]] = [:]
        /// How often it was asked for the token of a code.
        package var exchanges = 0
        /// The exchanges that it holds until `release`; nil where it holds none.
        package var held: [CheckedContinuation<Void, Never>]?
        /// The time in seconds that its tokens are issued at.
        package var seconds: Int64 = 0
    }

    /// What a test changes and looks at.
    package let state = Mutex(State())
    private let server = Mutex<HTTPServer?>(nil)

    /// An issuer on a free port.
    package static func start() async throws -> TestIssuer {
        let issuer = TestIssuer()
        let server = try await HTTPServer.start(HTTPServerConfiguration(), handler: issuer)
        issuer.server.withLock { $0 = server }
        issuer.state.withLock { $0.url = "http://127.0.0.1:\(server.port)/realm" }
        return issuer
    }

    /// Ends its server.
    package func stop() async { await server.withLock { $0 }?.stop(grace: .zero) }

    /// Its name, which is its address.
    package var url: String { state.withLock { $0.url } }

    /// Makes a key.
    package func addKey(_ id: String) { state.withLock { $0.keys[id] = SigningKey.generate() } }

    // MARK: Tokens

    /// A token with this header and payload, signed with the key of an ID.
    package func token(_ header: JSONValue, _ payload: JSONValue, key: String) throws -> String {
        let signing = state.withLock { $0.keys[key]! }
        return signing.webToken(header: try header.serialized(), payload: try payload.serialized())
    }

    /// A public key as JSON.
    package static func json(_ key: SigningKey, id: String) -> JSONValue {
        let point = key.publicPoint.dropFirst()
        return [
            "kty": "EC", "crv": "P-256", "kid": .string(id), "x": .string(Base64.url.encode(Array(point.prefix(32)))),
            "y": .string(Base64.url.encode(Array(point.suffix(32)))),
        ]
    }

    /// An ID token of a user for an audience, signed with a key of its own.
    package func idToken(
        of subject: String, for audience: String, at seconds: Int64, _ more: JSONObject = [:]
    ) throws -> String {
        addKeyIfMissing("tests")
        var payload: JSONObject = [
            "iss": .string(url), "aud": .string(audience), "sub": .string(subject), "iat": .integer(seconds),
            "exp": .integer(seconds + 300),
        ]
        for (key, value) in more { payload[key] = value }
        return try token(["alg": "ES256", "kid": "tests"], .object(payload), key: "tests")
    }

    private func addKeyIfMissing(_ id: String) {
        state.withLock { if $0.keys[id] == nil { $0.keys[id] = SigningKey.generate() } }
    }

    // MARK: HTTP

    package func admit(_ head: HTTPRequestHead) -> HTTPAdmission {
        .body(maximumBytes: head.method == "POST" ? 10_000 : 0)
    }

    package func answer(_ request: HTTPRequest) -> HTTPAnswer {
        switch request.path {
        case "/realm/authorize": return .now(authorize(request))
        case "/realm/token":
            state.withLock { $0.exchanges += 1 }
            return .later { [self] in
                await hold()
                return giveToken(request)
            }
        default: break
        }
        let answer = state.withLock { state -> JSONValue? in
            state.questions += 1
            guard state.isReachable else { return nil }
            switch request.path {
            case "/realm/.well-known/openid-configuration":
                return [
                    "issuer": .string(state.url), "jwks_uri": .string(state.url + "/keys"),
                    "authorization_endpoint": .string(state.url + "/authorize"),
                    "token_endpoint": .string(state.url + "/token"),
                ]
            case "/realm/keys":
                return ["keys": .array(state.keys.map { Self.json($1, id: $0) } + state.others)]
            default: return nil
            }
        }
        guard let answer, let body = try? answer.serialized() else { return .now(HTTPResponse(status: 404)) }
        return .now(HTTPResponse(status: 200, body: .bytes(body)))
    }

    // MARK: The authorisation-code flow

    /// Waits for `release` where exchanges are held.
    private func hold() async {
        await withCheckedContinuation { continuation in
            let passes = state.withLock { state in
                guard state.held != nil else { return true }
                state.held?.append(continuation)
                return false
            }
            if passes { continuation.resume() }
        }
    }

    /// Lets the exchanges go that it holds, and holds no more.
    package func release() {
        let held = state.withLock { state in
            defer { state.held = nil }
            return state.held ?? []
        }
        for continuation in held { continuation.resume() }
    }

    /// Sends the browser back with a code, as if somebody had signed in on a page.
    private func authorize(_ request: HTTPRequest) -> HTTPResponse {
        let asked = Dictionary(request.query.map { ($0.name, $0.value) }) { $1 }
        guard let redirect = asked["redirect_uri"], let given = asked["state"] else { return HTTPResponse(status: 400) }
        let answer = state.withLock { state -> String in
            guard state.user != nil else { return "error=access_denied" }
            let code = "code-\(state.codes.count)"
            state.codes[code] = asked
            return "code=\(code)"
        }
        return HTTPResponse(status: 302, headers: [("Location", "\(redirect)?\(answer)&state=\(given)")])
    }

    /// Returns an ID token for a code with its verifier.
    private func giveToken(_ request: HTTPRequest) -> HTTPResponse {
        let form = Dictionary((request.formItems ?? []).map { ($0.name, $0.value) }) { $1 }
        let (asked, user, nonce, seconds) = state.withLock { state in
            let asked = form["code"].flatMap { state.codes.updateValue([:], forKey: $0) } ?? [:]
            return (asked, state.user ?? "", state.nonce ?? asked["nonce"], state.seconds)
        }
        let challenge = Base64.url.encode(SHA256.hash(Array((form["code_verifier"] ?? "").utf8)))
        let isRight =
            form["grant_type"] == "authorization_code" && asked["code_challenge"] == challenge
            && asked["code_challenge_method"] == "S256" && form["redirect_uri"] == asked["redirect_uri"]
            && form["client_id"] == asked["client_id"] && asked["response_type"] == "code"
        let refusal = HTTPResponse(status: 400, body: .bytes(Array(#"{"error": "invalid_grant"}"#.utf8)))
        guard isRight, let audience = asked["client_id"], let nonce,
            let token = try? idToken(
                of: user, for: audience, at: seconds, ["nonce": .string(nonce), "given_name": "Ada"]),
            let body = try? (["id_token": .string(token), "token_type": "Bearer", "access_token": "a"] as JSONValue)
                .serialized()
        else { return refusal }
        return HTTPResponse(status: 200, headers: [("Content-Type", "application/json")], body: .bytes(body))
    }

    package func refusal(_ refusal: HTTPRefusal) -> HTTPResponse { HTTPResponse(status: refusal.status) }
}
