import CloudModel
import HTTPServer
import Identity
import RecordService

extension APIScope {
    /// Returns the session of a web auth token, unless it was ended.
    /// - Parameter time: the time at which the token has to be valid; nil for now.
    /// - Throws: `AUTHENTICATION_FAILED` with the reason.
    func session(of token: String, at time: Timestamp? = nil) async throws -> UserSession {
        let session = try webAuthTokens.session(of: token, in: scope, at: time ?? identity.now())
        try await identity.check(session)
        return session
    }

    /// A fresh token of a session.
    func token(of session: UserSession) -> (token: String, expires: Timestamp) {
        webAuthTokens.make(for: session, in: scope, at: identity.now())
    }

    /// Returns a check that throws once the credentials are gone by which a request was let in: its API token was
    /// revoked, or the secret was removed that its web auth token was sealed with.
    /// - Parameter begun: when the request began; nil for now.
    func recheck(_ request: HTTPRequest, since begun: Timestamp? = nil) -> @Sendable () async throws -> Void {
        let given = try? GivenCredentials(request.head)
        let begun = begun ?? identity.now()
        return { [self] in
            if let token = given?.apiToken, try await identity.apiToken(token) == nil {
                throw Credentials.unknown(token, self)
            }
            // As of then: that it has been replaced by fresher ones since is no reason to end.
            if let token = given?.webAuthToken { _ = try webAuthTokens.session(of: token, in: scope, at: begun) }
        }
    }
}
