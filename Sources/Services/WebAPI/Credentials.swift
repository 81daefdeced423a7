import CloudModel
import HTTPServer
import RecordService

/// Who makes a request, as its query items or headers say (spec section 5.14).
struct Credentials: Sendable {
    /// How a request is let in; `Authorization` says what each kind may do.
    enum Kind: Hashable, Sendable {
        /// An API token alone.
        case apiToken
        /// An API token and a web auth token.
        case user
        /// A signature with a server-to-server key.
        case serverKey
    }

    let kind: Kind
    let caller: Caller
    /// The user's sign-in, where there is one.
    let session: UserSession?

    /// Checks what the request shows: a signature where there is one, else the API token and, if there is one, the web auth
    /// token.
    /// - Throws: `AUTHENTICATION_REQUIRED`, `AUTHENTICATION_FAILED`, `BAD_REQUEST` for an impossible `clientId`.
    init(_ request: HTTPRequest, _ scope: APIScope) async throws {
        if let signature = try Self.signature(request) {
            guard case .bytes(let body) = request.body else { throw CloudError.badRequest("the body must be JSON") }
            let user = try await scope.records.user(of: signature, target: request.target, body: body)
            kind = .serverKey
            session = nil
            caller = Caller(user: user, client: try Self.client(request))
            return
        }
        guard let token = request.queryValue("ckAPIToken"), !token.isEmpty else {
            throw CloudError(
                .authenticationRequired,
                "the request has no credentials: send the query item ckAPIToken (fanfare token create makes one), or sign it with a server-to-server key"
            )
        }
        guard try await scope.records.apiToken(token) != nil else { throw Self.unknown(token, scope) }
        if let token = request.queryValue("ckWebAuthToken"), !token.isEmpty {
            session = try await scope.session(of: token)
        } else {
            session = nil
        }
        kind = session == nil ? .apiToken : .user
        caller = Caller(user: session?.user, client: try Self.client(request))
    }

    private static func unknown(_ token: String, _ scope: APIScope) -> CloudError {
        guard token.utf8.count == 64, token.allSatisfy(\.isHexDigit) else {
            return CloudError(
                .authenticationFailed,
                "ckAPIToken is no API token: one has 64 hexadecimal digits, not '\(token.prefix(80))'")
        }
        return CloudError(
            .authenticationFailed, "ckAPIToken is not known to \(scope.scope.container)/\(scope.scope.environment)")
    }

    /// The three headers of a signature; nil when there is none of them.
    private static func signature(_ request: HTTPRequest) throws(CloudError) -> RequestSignature? {
        let names = ["KeyID", "ISO8601Date", "SignatureV1"].map { "X-Apple-CloudKit-Request-\($0)" }
        let values = names.map { request.headers[$0] ?? "" }
        guard values.contains(where: { !$0.isEmpty }) else { return nil }
        for (name, value) in zip(names, values) where value.isEmpty {
            throw CloudError(.authenticationFailed, "a signed request has the header \(name), too")
        }
        return RequestSignature(keyID: values[0], date: values[1], signature: values[2])
    }

    /// A client names the device it speaks for, or calls itself something else.
    private static func client(_ request: HTTPRequest) throws(CloudError) -> DeviceID? {
        try client(request.queryValue("clientId"))
    }

    /// A name that a client gives itself; nil when it gives none.
    static func client(_ text: String?) throws(CloudError) -> DeviceID? {
        guard let text, !text.isEmpty else { return nil }
        guard text.utf8.count <= Limits.nameCharactersMax, text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7f }) else {
            throw .badRequest("clientId has at most \(Limits.nameCharactersMax) printable bytes")
        }
        return DeviceID(trusted: text)
    }
}
