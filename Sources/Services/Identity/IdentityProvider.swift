import CloudModel
import Cryptography
package import HTTPClient
import JSON
import RecordStore
import Telemetry
import Timing
import Waiting

/// An issuer of OpenID Connect, whose ID tokens sign users in. Its keys are fetched at the first use, cached, and
/// fetched again for a token with an unknown key or when they are old.
package actor IdentityProvider {
    /// The time for which keys are used before they are fetched again.
    static let keysLifetime = Duration.seconds(3600)
    /// No two questions to the issuer are closer: tokens that name unknown keys cost it nothing.
    static let pause = Duration.seconds(30)
    /// Bytes of a document of the issuer's.
    static let documentBytesMax = 1 << 20

    let rules: IDTokenRules
    let http: HTTPClient
    /// The client that sign-in pages are.
    let web: WebClient
    /// The exchanges of codes, by clients.
    let exchanges = FairGate<String>(
        capacity: Limits.codeExchangesMax, share: Limits.codeExchangesOfAddressMax,
        waitersOfKey: Limits.codeExchangesWaitingMax)
    /// The pace of log lines that anybody causes by a sign-in.
    let codeFailures: LogPace
    private let keyFailures: LogPace
    private let clock: @Sendable () -> ContinuousClock.Instant
    private var known: IssuerDocument?
    private var fetched: ContinuousClock.Instant?
    private var fetchedAt: ContinuousClock.Instant?
    private var fetching: Task<IssuerDocument, any Error>?

    /// An issuer by its URL, as in its tokens, and our client IDs at it.
    /// - Parameters:
    ///   - web: the client of the sign-in pages; by default that of the first audience, without a secret.
    ///   - rolesClaim: the claim of ID tokens that has roles of operators; nil for none.
    package init(
        issuer: String, audiences: [String], web: WebClient? = nil, rolesClaim: String? = nil, http: HTTPClient,
        clock: @escaping @Sendable () -> ContinuousClock.Instant = { Time.now }
    ) {
        let web = web ?? WebClient(id: audiences.first ?? "")
        self.web = web
        rules = IDTokenRules(
            issuer: issuer, audiences: audiences.contains(web.id) ? audiences : audiences + [web.id],
            rolesClaim: rolesClaim)
        self.http = http
        self.clock = clock
        (codeFailures, keyFailures) = (LogPace(clock: clock), LogPace(clock: clock))
    }

    /// The host of the issuer, for people.
    package nonisolated var host: String {
        String(rules.issuer.drop { $0 != "/" }.drop { $0 == "/" }.prefix { $0 != "/" })
    }

    /// Verifies a token and returns its user.
    /// - Parameter nonce: the text that the token has to repeat; nil if none was requested.
    /// - Throws: `AUTHENTICATION_FAILED` with the reason, `TRY_AGAIN_LATER` if the issuer's keys cannot be fetched.
    func identity(
        of text: String, nonce: String? = nil, at now: Timestamp
    ) async throws -> (identity: UserIdentity, claims: IdentityClaims) {
        guard let token = WebToken(text) else {
            throw IDTokenRules.failed("it is not three parts of base64url with at most \(WebToken.bytesMax) bytes")
        }
        let header = try IDTokenRules.header(token)
        guard let key = try await key(header) else {
            throw IDTokenRules.failed("'\(rules.issuer)' has no \(header.algorithm.rawValue) key '\(header.keyID)'")
        }
        guard let payload = key.payload(of: token) else {
            throw IDTokenRules.failed("its signature is not that of the key '\(header.keyID)'")
        }
        let (subject, claims) = try rules.identity(payload, nonce: nonce, at: now)
        return (UserIdentity(issuer: rules.issuer, subject: subject), claims)
    }

    private func key(_ header: IDTokenRules.Header) async throws -> WebKey? {
        let isOld = fetched.map { clock() - $0 > Self.keysLifetime } ?? true
        if !isOld, let key = known?.keys.key(header) { return key }
        do {
            return try await current().keys.key(header)
        } catch {
            // Keys that are old are better than none: what an issuer takes back for good it also stops using.
            if let key = known?.keys.key(header) { return key }
            throw unreachable("\(error)")
        }
    }

    /// The issuer's endpoints, which stay where they are.
    func endpoints() async throws -> Endpoints {
        let document: IssuerDocument
        do { document = if let known { known } else { try await current() } } catch { throw unreachable("\(error)") }
        guard let endpoints = document.endpoints else {
            throw CloudError(.accessDenied, "'\(rules.issuer)' has no endpoints for signing in on a page")
        }
        return endpoints
    }

    /// The error while the issuer cannot be asked; the reason goes to the log.
    func unreachable(_ reason: String) -> CloudError {
        if let omitted = keyFailures.next() {
            Log.warning("sign-in.keys.failed", ["issuer": rules.issuer, "error": "\(reason)", "omitted": omitted])
        }
        return CloudError(
            .tryAgainLater, "the keys of '\(rules.issuer)' cannot be had at present; sign in again later",
            retryAfterSeconds: Int(Self.pause.components.seconds))
    }

    /// The documents as the issuer has them now, or as it had them a moment ago.
    private func current() async throws -> IssuerDocument {
        if let fetching { return try await fetching.value }
        if let fetchedAt, clock() - fetchedAt < Self.pause {
            guard let known else { throw IssuerError(reason: "it was asked a moment ago") }
            return known
        }
        fetchedAt = clock()
        let task = Task { [rules, http] in try await Self.fetch(rules.issuer, http) }
        fetching = task
        defer { fetching = nil }
        let new = try await task.value
        known = new
        fetched = clock()
        return new
    }

    private static func fetch(_ issuer: String, _ http: HTTPClient) async throws -> IssuerDocument {
        let base = issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer
        let discovery = try await document("\(base)/.well-known/openid-configuration", http)
        guard discovery["issuer"]?.string == issuer else {
            throw IssuerError(reason: "its discovery document is of '\(discovery["issuer"]?.string ?? "nobody")'")
        }
        // Keys that came over plain HTTP are anybody's, unless the issuer itself is reached so.
        guard let address = discovery["jwks_uri"]?.string, address.hasPrefix("https://") || issuer.hasPrefix("http://")
        else { throw IssuerError(reason: "its discovery document has no 'jwks_uri' of https") }
        guard let keys = IssuerKeys(try await document(address, http)) else {
            throw IssuerError(reason: "\(address) is no set of keys")
        }
        return IssuerDocument(
            keys: keys, endpoints: Endpoints(discovery, isSecure: issuer.hasPrefix("https://")))
    }

    private static func document(_ address: String, _ http: HTTPClient) async throws -> JSONValue {
        var request = HTTPClientRequest("GET", address, headers: [("Accept", "application/json")])
        request.timeout = .seconds(10)
        request.responseBytesMaximum = documentBytesMax
        let response = try await http.send(request)
        guard response.status == 200 else { throw IssuerError(reason: "\(address) answered \(response.status)") }
        return try JSONValue(parsing: response.body)
    }
}

/// The metadata documents of an issuer.
private struct IssuerDocument: Sendable {
    var keys: IssuerKeys
    /// Nil for an issuer that signs nobody in on a page.
    var endpoints: IdentityProvider.Endpoints?
}

/// The reason why an issuer's keys could not be fetched; goes to the log.
private struct IssuerError: Error, CustomStringConvertible {
    var reason: String
    var description: String { reason }
}
