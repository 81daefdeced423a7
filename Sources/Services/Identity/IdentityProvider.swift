import CloudModel
import Cryptography
package import HTTPClient
import JSON
import RecordStore
import Telemetry

/// An issuer of OpenID Connect, whose ID tokens sign users in. Its keys are fetched when they are needed first, kept, and
/// fetched again when a token asks for one that is not known or when they are old.
package actor IdentityProvider {
    /// The time for which keys are used before they are fetched again.
    static let keysLifetime = Duration.seconds(3600)
    /// No two questions to the issuer are closer: tokens that name unknown keys cost it nothing.
    static let pause = Duration.seconds(30)
    /// Bytes of a document of the issuer's.
    static let documentBytesMax = 1 << 20

    private let rules: IDTokenRules
    private let http: HTTPClient
    private let clock: @Sendable () -> ContinuousClock.Instant
    private var keys: IssuerKeys?
    private var fetched: ContinuousClock.Instant?
    private var asked: ContinuousClock.Instant?
    private var fetching: Task<IssuerKeys, any Error>?

    /// An issuer by its address, as its tokens name it, and the clients that we are to it.
    package init(
        issuer: String, audiences: [String], http: HTTPClient,
        clock: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        rules = IDTokenRules(issuer: issuer, audiences: audiences)
        self.http = http
        self.clock = clock
    }

    /// Verifies a token and returns its user.
    /// - Throws: `AUTHENTICATION_FAILED` that says what is wrong with it, `TRY_AGAIN_LATER` when the issuer's keys cannot be
    ///   had.
    func identity(
        of text: String, at now: Timestamp
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
        let (subject, claims) = try rules.identity(payload, at: now)
        return (UserIdentity(issuer: rules.issuer, subject: subject), claims)
    }

    private func key(_ header: IDTokenRules.Header) async throws -> WebKey? {
        let isOld = fetched.map { clock() - $0 > Self.keysLifetime } ?? true
        if !isOld, let key = keys?.key(header) { return key }
        do {
            return try await currentKeys().key(header)
        } catch {
            // Keys that are old are better than none: what an issuer takes back for good it also stops using.
            if let key = keys?.key(header) { return key }
            Log.warning("sign-in.keys.failed", ["issuer": rules.issuer, "error": "\(error)"])
            throw CloudError(
                .tryAgainLater, "the keys of '\(rules.issuer)' cannot be had at present; sign in again later",
                retryAfterSeconds: Int(Self.pause.components.seconds))
        }
    }

    /// The keys as the issuer has them now, or as it had them a moment ago.
    private func currentKeys() async throws -> IssuerKeys {
        if let fetching { return try await fetching.value }
        if let asked, clock() - asked < Self.pause {
            guard let keys else { throw IssuerError(reason: "it was asked a moment ago") }
            return keys
        }
        asked = clock()
        let task = Task { [rules, http] in try await Self.fetch(rules.issuer, http) }
        fetching = task
        defer { fetching = nil }
        let new = try await task.value
        keys = new
        fetched = clock()
        return new
    }

    private static func fetch(_ issuer: String, _ http: HTTPClient) async throws -> IssuerKeys {
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
        return keys
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

/// The reason why an issuer's keys could not be fetched; goes to the log.
private struct IssuerError: Error, CustomStringConvertible {
    var reason: String
    var description: String { reason }
}
