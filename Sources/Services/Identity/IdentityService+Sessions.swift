package import CloudModel
import RecordStore
import Timing
import Waiting

extension IdentityService {
    /// Begins a session of a user who has just proved their identity.
    /// - Throws: `ACCESS_DENIED` if an operator has blocked the user.
    package func beginSession(of user: UserRecordName, isBrief: Bool) async throws -> UserSession {
        guard let account = try await account(of: user), account.exists else { throw Self.ended }
        guard !account.isBlocked else {
            throw Self.blocked
        }
        return UserSession(
            user: user, id: .random(in: 0 ... .max), signedIn: now(), isBrief: isBrief, epoch: account.sessionEpoch)
    }

    /// Checks that a session whose token is valid was not ended. Free if it was checked in this second.
    /// - Throws: `AUTHENTICATION_FAILED`.
    package func check(_ session: UserSession) async throws {
        guard let account = try await account(of: session.user), account.exists, !account.isBlocked,
            account.sessionEpoch == session.epoch, !account.endedSessions.contains(session.id)
        else { throw Self.ended }
    }

    private static let ended = CloudError(.authenticationFailed, "this sign-in was ended; sign in again")

    static let blocked = CloudError(.accessDenied, "this user is blocked here; ask the operator of the service")

    func account(of user: UserRecordName) async throws -> StoredAccount? {
        try await identity(known: { $0.accounts[user] }, keep: { .account(user, $0) }) { try $0.account(of: user) }
    }

    /// Ends a session. Of a user who ends very many, all end.
    /// - Parameter until: when it would have ended by itself.
    package func end(_ session: UserSession, until: Timestamp) async throws {
        let time = now()
        try await takeBack(from: session.user) { [self] transaction in
            let account = try transaction.account(of: session.user)
            guard account?.endedSessions.count ?? 0 < Limits.endedSessionsMax else {
                return try endSessions(of: session.user, by: .signOut, at: time, transaction)
            }
            try transaction.endSession(session.id, of: session.user, until: until)
        }
    }

    /// Ends all sessions of a user, the web couriers that they made, and the addresses of pushes that they registered.
    /// - Throws: `NOT_FOUND` when there is no such user.
    package func endSessions(of user: UserRecordName) async throws {
        let time = now()
        try await takeBack(from: user) { [self] transaction in
            try Self.requireUser(user, transaction)
            try endSessions(of: user, by: .signOut, at: time, transaction)
        }
    }

    /// Blocks a user, or unblocks a user, who then has to sign in. A blocked user's addresses get no pushes. Blocking a
    /// blocked user publishes that again.
    /// - Throws: `NOT_FOUND` if there is no such user.
    package func setBlocked(_ isBlocked: Bool, _ user: UserRecordName) async throws {
        let time = now()
        try await takeBack(from: user) { [self] transaction in
            try Self.requireUser(user, transaction)
            try transaction.setBlocked(isBlocked, user)
            try endSessions(of: user, by: isBlocked ? .block : .unblock, at: time, transaction)
        }
    }

    /// Waits until a session is over: ended by somebody, or at its absolute end.
    /// - Parameter end: when it ends by itself.
    /// - Throws: `AUTHENTICATION_FAILED` then, `CancellationError` when the task is cancelled before.
    /// - Parameter recheck: throws when something else that the request was let in by is good no longer: asked whenever
    ///   something was taken back, and every ten seconds, as keys are taken out of a file.
    package func untilOver(
        _ session: UserSession, end: Timestamp, recheck: @Sendable () async throws -> Void = {}
    ) async throws -> Never {
        while true {
            let watch = try await watch(session, end: end, recheck: recheck)
            _ = try await Time.race(within: watch.patience) { await watch.wait() }
        }
    }

    /// Checks a session that a request is going to wait with, and watches it from just before.
    /// - Parameter end: when it expires.
    /// - Parameter recheck: as for `untilOver`.
    /// - Returns: the watch that reports when it has to be checked again; the caller calls `drop` or `wait` afterwards.
    /// - Throws: `AUTHENTICATION_FAILED`; `CancellationError` if the task is cancelled.
    package func watch(
        _ session: UserSession, end: Timestamp, recheck: @Sendable () async throws -> Void = {}
    ) async throws -> SessionWatch {
        let ticket = bell.register(session.user)
        do {
            try Task.checkCancellation()
            try await check(session)
            try await recheck()
            let rest = end.milliseconds - now().milliseconds
            guard rest > 0 else { throw Self.ended }
            return SessionWatch(
                bell: bell, ticket: ticket, user: session.user, patience: .milliseconds(min(rest, 10_000)))
        } catch {
            bell.drop(ticket, for: session.user)
            throw error
        }
    }

    func endSessions(
        of user: UserRecordName, by end: SessionsEnd, at time: Timestamp, _ transaction: any StoreTransaction
    ) throws {
        try transaction.endSessions(of: user)
        try sessionsEnded(user, end, time, transaction)
    }

    static func requireUser(_ user: UserRecordName, _ reader: any StoreReader) throws {
        guard try reader.account(of: user)?.exists == true else {
            throw CloudError(.notFound, "there is no user '\(user)'; fanfare users list shows those there are")
        }
    }
}
