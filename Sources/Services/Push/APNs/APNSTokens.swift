package import CloudModel
package import Cryptography
import JSON
import Synchronization

/// The provider's tokens (JWT) under one key of an Apple team. All processes that send with the key claim the same time
/// of issue, as APNs refuses keys whose tokens change more often than every 20 minutes.
package final class APNSTokens: Sendable {
    /// Seconds of which each has one token. APNs refuses tokens that are older than an hour.
    private static let periodSeconds: Int64 = 1800

    private struct State {
        var token = ""
        /// The beginning of the period of the token, in seconds since 1970.
        var period: Int64?
        /// True if APNs has refused a token of the period as expired.
        var isRenewed = false
    }

    private let key: SigningKey
    private let keyID: String
    private let teamID: String
    private let now: @Sendable () -> Timestamp
    private let state = Mutex(State())

    /// - Parameters:
    ///   - key: the `.p8` file that Apple gives, `SigningKey(pem:)`.
    ///   - keyID: the ten characters of its name.
    package init(
        key: SigningKey, keyID: String, teamID: String, now: @escaping @Sendable () -> Timestamp
    ) {
        self.key = key
        self.keyID = keyID
        self.teamID = teamID
        self.now = now
    }

    /// The token of the present period.
    func current() -> String {
        let seconds = now().milliseconds / 1000
        return state.withLock { current(seconds, &$0) }
    }

    /// The token after one that APNs refused as expired; nil if it has refused another one of the period before: then
    /// the clock is wrong, and further tokens help nothing.
    func renewed(after refused: String) -> String? {
        let seconds = now().milliseconds / 1000
        return state.withLock { state in
            let token = current(seconds, &state)
            // Of many requests in flight one gets the new token made.
            if token != refused { return token }
            guard !state.isRenewed else { return nil }
            state.isRenewed = true
            state.token = sign(issuedAt: seconds)
            return state.token
        }
    }

    private func current(_ seconds: Int64, _ state: inout State) -> String {
        let period = seconds - seconds % Self.periodSeconds
        if state.period != period { state = State(token: sign(issuedAt: period), period: period) }
        return state.token
    }

    private func sign(issuedAt seconds: Int64) -> String {
        var header = JSONWriter()
        header.beginObject()
        header.member("alg", "ES256")
        header.member("kid", keyID)
        header.endObject()
        var payload = JSONWriter()
        payload.beginObject()
        payload.member("iss", teamID)
        payload.member("iat", seconds)
        payload.endObject()
        return key.webToken(header: header.bytes, payload: payload.bytes)
    }
}
