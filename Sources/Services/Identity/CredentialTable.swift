package import CloudModel
import Cryptography
package import RecordStore
import Telemetry
import Timing
import Waiting

/// The API tokens and server-to-server keys of a container's environment in memory, for admission: the server's own
/// threads, which must not wait for a disk, decide by them how much a request may send.
///
/// It has only entries of the store, so that no client can fill it with names of its own. It decides no right:
/// `RecordService` checks the request once the body is there. A new or a recently revoked entry makes a difference to
/// the size of a body only.
package final class CredentialTable: Sendable {
    /// No two readings of the store that unknown credentials ask for are closer.
    static let pause = Duration.seconds(1)

    private struct State {
        var tokens: [[UInt8]: APIToken] = [:]
        var keys: [String: UserRecordName] = [:]
        var readAt: ContinuousClock.Instant?
    }

    private let store: any RecordStore
    private let clock: @Sendable () -> ContinuousClock.Instant
    private let state = BusyMutex(State())

    /// An empty table, until it is read.
    package init(_ store: any RecordStore, clock: @escaping @Sendable () -> ContinuousClock.Instant = { Time.now }) {
        self.store = store
        self.clock = clock
    }

    /// Returns an API token; nil when it is not known.
    package func token(_ text: String) -> APIToken? {
        guard text.utf8.count == 64 else { return nil }
        let digest = SHA256.hash(Array(text.utf8))
        return state.withLock { $0.tokens[digest] }
    }

    /// The user in whose name a server-to-server key acts; nil when none is known.
    package func key(_ id: String) -> UserRecordName? { state.withLock { $0.keys[id] } }

    /// Reads the store: new entries are known then, and revoked ones are not.
    package func refresh() async throws {
        let (tokens, keys) = try await store.read { reader in
            (try reader.admittedAPITokens(), try reader.admittedServerKeys())
        }
        state.withLock { state in
            state.tokens = Dictionary(tokens.map { ($0.digest, APIToken(origins: Set($0.origins))) }) { $1 }
            state.keys = Dictionary(keys.map { ($0.id, $0.user) }) { $1 }
        }
    }

    /// Reads the store soon, unless it was read a moment ago: a request has an unknown credential.
    package func refreshSoon() {
        let now = clock()
        let isDue = state.withLock { state in
            if let readAt = state.readAt, now - readAt < Self.pause { return false }
            state.readAt = now
            return true
        }
        guard isDue else { return }
        Task {
            do {
                try await refresh()
            } catch {
                Log.warning("credentials.refresh.failed", ["error": "\(error)"])
            }
        }
    }
}
