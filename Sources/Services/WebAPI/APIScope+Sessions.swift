import CloudModel
import HTTPServer
import Identity
import RecordService

extension APIScope {
    /// Returns the session of a web auth token, unless it was ended.
    /// - Parameter time: as of when the token has to be good; nil for now.
    /// - Throws: `AUTHENTICATION_FAILED` that says what is wrong.
    func session(of token: String, at time: Timestamp? = nil) async throws -> UserSession {
        let session = try webAuthTokens.session(of: token, in: scope, at: time ?? identity.now())
        try await identity.check(session)
        return session
    }

    /// A fresh token of a session.
    func token(of session: UserSession) -> (token: String, expires: Timestamp) {
        webAuthTokens.make(for: session, in: scope, at: identity.now())
    }

    /// Returns a check that throws once the credentials are gone by which a request was let in: its API token was revoked, or
    /// the secret was removed that its web auth token was sealed with.
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

    /// Works, but no longer than a session and the credentials of a request are good.
    /// - Throws: `AUTHENTICATION_FAILED` when they end first.
    func during<Result: Sendable>(
        _ session: UserSession?, of request: HTTPRequest, _ work: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        guard let session else { return try await work() }
        let end = webAuthTokens.end(of: session)
        let recheck = recheck(request)
        return try await withThrowingTaskGroup(of: Result.self) { [identity] group in
            defer { group.cancelAll() }
            group.addTask {
                do { return try await work() } catch {
                    // A user who is removed loses the device as well: the end of the session is the reason.
                    try await identity.check(session)
                    try await recheck()
                    throw error
                }
            }
            group.addTask { try await identity.untilOver(session, end: end, recheck: recheck) }
            guard let result = try await group.next() else { throw CancellationError() }
            return result
        }
    }
}
