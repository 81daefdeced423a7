package import CloudModel
import Cryptography
import JSON
import Synchronization
import TextForms

/// The sessions of operators of a process, and the codes that begin one. Tokens are known by their digests; an ended
/// session is forgotten at once.
package final class OperatorSessions: Sendable {
    /// Minutes for which a code is good.
    package static let codeMinutes: Int64 = 10
    /// Minutes between two writes of when sessions were used.
    private static let savingMinutes: Int64 = 1

    private struct State {
        var codes: [[UInt8]: (who: Operator, expires: Timestamp)] = [:]
        var sessions: [[UInt8]: OperatorSession] = [:]
        var saved = Timestamp(milliseconds: 0)
    }

    private let state: Mutex<State>
    /// The digest of the token that is good as long as the process runs; nil where there is none.
    private let fixed: [UInt8]?
    private let file: KeptFile
    private let now: @Sendable () -> Timestamp

    /// The operator who comes with the fixed token.
    private static let script = Operator(name: "operator-token", role: .operator)

    /// - Parameters:
    ///   - fixedToken: a token that is good without a session, of a file; nil for none.
    ///   - file: keeps digests of sessions over a restart.
    package init(fixedToken: String?, file: KeptFile, now: @escaping @Sendable () -> Timestamp) {
        fixed = fixedToken.map(Self.digest)
        self.file = file
        self.now = now
        var state = State()
        let rows = (try? file.load()).flatMap(\.self).flatMap { try? JSONValue(parsing: $0) }
        for (digest, json) in rows?["sessions"]?.object ?? [:] {
            guard let digest = Hexadecimal.decode(digest), let session = OperatorSession(json) else { continue }
            state.sessions[digest] = session
        }
        self.state = Mutex(state)
    }

    /// Makes a code that begins one session of an operator.
    package func makeCode(for who: Operator) -> String {
        let code = Self.secret()
        let now = now()
        state.withLock { state in
            state.codes = state.codes.filter { $0.value.expires > now }
            if state.codes.count >= Limits.operatorSessionsMax,
                let oldest = state.codes.min(by: { $0.value.expires < $1.value.expires })?.key
            {
                state.codes[oldest] = nil
            }
            let expires = Timestamp(milliseconds: now.milliseconds + Self.codeMinutes * 60_000)
            state.codes[Self.digest(code)] = (who, expires)
        }
        return code
    }

    /// Trades a code for a session. A code is good once, whatever becomes of it.
    /// - Throws: `AUTHENTICATION_FAILED`.
    func begin(code: String) throws -> (token: String, session: OperatorSession) {
        let now = now()
        let found = state.withLock { $0.codes.removeValue(forKey: Self.digest(code)) }
        guard let found, found.expires > now else {
            throw CloudError(
                .authenticationFailed,
                "the code is not known, was used, or is older than \(Self.codeMinutes) minutes; 'fanfare console' prints another"
            )
        }
        return try begin(found.who)
    }

    /// Begins a session of an operator who has signed in.
    func begin(_ who: Operator) throws -> (token: String, session: OperatorSession) {
        let (token, session, now) = (Self.secret(), OperatorSession(who, at: now()), now())
        try state.withLock { state in
            state.sessions = state.sessions.filter { !$0.value.isOver(at: now) }
            if state.sessions.count >= Limits.operatorSessionsMax,
                let oldest = state.sessions.min(by: { $0.value.begun < $1.value.begun })?.key
            {
                state.sessions[oldest] = nil
            }
            state.sessions[Self.digest(token)] = session
            try save(&state, now)
        }
        return (token, session)
    }

    /// Finds the session of a token, and notes that it is used.
    /// - Throws: `AUTHENTICATION_FAILED` for a token that is none, or whose session is over.
    func session(of token: String) throws(CloudError) -> OperatorSession {
        let (digest, now) = (Self.digest(token), now())
        if let fixed, ConstantTime.areEqual(fixed, digest) { return OperatorSession(Self.script, at: now) }
        let found = state.withLock { state -> OperatorSession? in
            guard var session = state.sessions[digest] else { return nil }
            guard !session.isOver(at: now) else {
                state.sessions[digest] = nil
                return nil
            }
            session.used = now
            state.sessions[digest] = session
            if now.milliseconds - state.saved.milliseconds >= Self.savingMinutes * 60_000 { try? save(&state, now) }
            return session
        }
        guard let found else {
            throw CloudError(
                .authenticationFailed, "the operator's session is over, or is none; 'fanfare console' begins another")
        }
        return found
    }

    /// Ends the session of a token; the next request with it is refused.
    func end(_ token: String) throws {
        let now = now()
        try state.withLock { state in
            state.sessions[Self.digest(token)] = nil
            try save(&state, now)
        }
    }

    private func save(_ state: inout State, _ now: Timestamp) throws {
        state.saved = now
        var rows = JSONObject()
        for (digest, session) in state.sessions { rows[Hexadecimal.encode(digest)] = .object(session.json) }
        try file.save(JSONValue.object(["sessions": .object(rows)]).serialized())
    }

    private static func secret() -> String { Base64.url.encode(SecureRandom.bytes(count: 32)) }

    private static func digest(_ text: String) -> [UInt8] { SHA256.hash(Array(text.utf8)) }
}
