import CloudModel
import HTTPServer
import Identity
import RecordService

/// The checked credentials of a request, from its query items or headers (docs/cloudkit.md#authentication).
struct Credentials: Sendable {
    /// The kinds of credentials; `Authorization` says what each may do.
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

    /// Checks what the request shows: a signature where there is one, else the API token and, if there is one, the web
    /// auth token.
    /// - Parameter time: as of when the web auth token has to be good; nil for now. The sign-in has to be good now in
    ///   any case.
    /// - Throws: `AUTHENTICATION_REQUIRED`, `AUTHENTICATION_FAILED`, `BAD_REQUEST` for an impossible `clientId` or for
    ///   credentials that contradict each other.
    init(_ request: HTTPRequest, _ scope: APIScope, at time: Timestamp? = nil) async throws {
        let given = try GivenCredentials(request.head)
        if let signature = given.signature {
            guard case .bytes(let body) = request.body else { throw CloudError.badRequest("the body must be JSON") }
            let user = try await scope.identity.user(of: signature, target: request.target, body: body)
            kind = .serverKey
            session = nil
            caller = Caller(user: user, client: try Self.client(request))
            return
        }
        guard let token = given.apiToken else { throw Self.missing }
        guard try await scope.identity.apiToken(token) != nil else { throw Self.unknown(token, scope) }
        if let token = given.webAuthToken {
            session = try await scope.session(of: token, at: time)
        } else {
            session = nil
        }
        kind = session == nil ? .apiToken : .user
        caller = Caller(user: session?.user, client: try Self.client(request))
    }

    /// The error for a request without credentials.
    static let missing = CloudError(
        .authenticationRequired,
        "the request has no credentials: send the query item ckAPIToken (fanfare token create makes one), or sign it with a server-to-server key"
    )

    /// Returns true if a text has the form of an API token.
    static func isToken(_ text: String) -> Bool { text.utf8.count == 64 && text.allSatisfy(\.isHexDigit) }

    /// The error for an API token that is none.
    static func unknown(_ token: String, _ scope: APIScope) -> CloudError {
        guard isToken(token) else {
            return CloudError(
                .authenticationFailed,
                "ckAPIToken is no API token: one has 64 hexadecimal digits, not '\(token.prefix(80))'")
        }
        return CloudError(
            .authenticationFailed, "ckAPIToken is not known to \(scope.scope.container)/\(scope.scope.environment)")
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
