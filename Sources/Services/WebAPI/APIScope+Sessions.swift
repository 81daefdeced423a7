import CloudModel
import RecordService

extension APIScope {
    /// The session of a web auth token, which nobody has ended.
    /// - Throws: `AUTHENTICATION_FAILED` that says what is wrong.
    func session(of token: String) async throws -> UserSession {
        let session = try webAuthTokens.session(of: token, in: scope, at: records.now())
        try await records.check(session)
        return session
    }

    /// A fresh token of a session.
    func token(of session: UserSession) -> (token: String, expires: Timestamp) {
        webAuthTokens.make(for: session, in: scope, at: records.now())
    }

    /// Waits as long as a session is good at most.
    /// - Throws: `AUTHENTICATION_FAILED` when it ends first.
    func during<Result: Sendable>(
        _ session: UserSession?, _ work: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        guard let session else { return try await work() }
        let end = webAuthTokens.end(of: session)
        return try await withThrowingTaskGroup(of: Result.self) { group in
            defer { group.cancelAll() }
            group.addTask { try await work() }
            group.addTask { try await records.untilOver(session, end: end) }
            guard let result = try await group.next() else { throw CancellationError() }
            return result
        }
    }
}
