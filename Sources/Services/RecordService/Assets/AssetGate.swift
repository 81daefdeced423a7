import Synchronization

/// Keeps removals of assets' bytes apart from uploads of the same bytes: an upload waits for a running removal, a
/// removal skips bytes that are being uploaded. One process is enough, as a store has one owner.
final class AssetGate: Sendable {
    private struct State {
        /// Uploads by checksum.
        var uploads: [String: Int] = [:]
        /// Uploads that wait for a removal, by checksum.
        var removals: [String: [CheckedContinuation<Void, Never>]] = [:]
    }

    private let state = Mutex(State())

    /// Runs an upload of an asset once no removal of it runs.
    func uploading<Result>(_ checksum: String, _ work: () async throws -> Result) async throws -> Result {
        await enter(checksum)
        defer {
            state.withLock { state in
                let left = state.uploads[checksum, default: 1] - 1
                state.uploads[checksum] = left > 0 ? left : nil
            }
        }
        return try await work()
    }

    /// Runs a removal of the assets of which no upload runs.
    func removing<Result>(
        _ checksums: [String], _ work: (_ free: [String]) async throws -> Result
    ) async throws -> Result {
        let free = state.withLock { state in
            let free = checksums.filter { state.uploads[$0] == nil && state.removals[$0] == nil }
            for checksum in free { state.removals[checksum] = [] }
            return free
        }
        defer {
            let waiting = state.withLock { state in free.flatMap { state.removals.removeValue(forKey: $0) ?? [] } }
            for waiter in waiting { waiter.resume() }
        }
        return try await work(free)
    }

    private func enter(_ checksum: String) async {
        while true {
            await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
                let mayGoOn = state.withLock { state in
                    guard state.removals[checksum] != nil else { return true }
                    state.removals[checksum]?.append(continuation)
                    return false
                }
                if mayGoOn { continuation.resume() }
            }
            let isIn = state.withLock { state in
                guard state.removals[checksum] == nil else { return false }
                state.uploads[checksum, default: 0] += 1
                return true
            }
            if isIn { return }
        }
    }
}
