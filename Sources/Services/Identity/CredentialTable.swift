package import CloudModel
import Cryptography
package import RecordStore
import Synchronization
import Telemetry

/// The API tokens and server-to-server keys of a container's environment in memory, for admission: what a request may send is
/// decided by them on the server's own threads, which must not wait for a disk.
///
/// Only what the store has is in it, so that nobody fills it with names of their own making. It decides no right: whoever is
/// let in is checked by `RecordService` once the body is there. What is not in it yet, or was taken back a moment ago, makes a
/// difference to the size of a body alone.
package final class CredentialTable: Sendable {
    /// No two readings of the store that unknown credentials ask for are closer.
    static let pause = Duration.seconds(1)

    private struct State {
        var tokens: [[UInt8]: APIToken] = [:]
        var keys: [String: UserRecordName] = [:]
        var asked: ContinuousClock.Instant?
    }

    private let store: any RecordStore
    private let clock: @Sendable () -> ContinuousClock.Instant
    private let state = Mutex(State())

    /// An empty table, until it is read.
    package init(_ store: any RecordStore, clock: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) {
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

    /// Reads the store: what was added is known then, and what was taken back is not.
    package func refresh() async throws {
        let (tokens, keys) = try await store.read { reader in
            (try reader.admittedAPITokens(), try reader.admittedServerKeys())
        }
        state.withLock { state in
            state.tokens = Dictionary(tokens.map { ($0.digest, APIToken(origins: Set($0.origins))) }) { $1 }
            state.keys = Dictionary(keys.map { ($0.id, $0.user) }) { $1 }
        }
    }

    /// Reads the store soon, if that was not done a moment ago: somebody shows what is not known.
    package func refreshSoon() {
        let now = clock()
        let isDue = state.withLock { state in
            if let asked = state.asked, now - asked < Self.pause { return false }
            state.asked = now
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
