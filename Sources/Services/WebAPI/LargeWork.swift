import Synchronization

/// Bounds the memory of requests together: one that may move much waits until there is room for it, in the order in
/// which they came. What is small passes at once, and waits for nobody.
final class LargeWork: Sendable {
    /// Bytes of records that requests work on at once. A request holds some five times its share for a moment: the
    /// records, their JSON as a tree and as bytes, and what the server sends.
    static let capacity = 64 << 20
    /// What needs no more than this never waits: one record.
    static let smallBytes = 1 << 20
    /// A body becomes some four times as much: its tree, records, their old versions, and what the outbox is given.
    private static let bodyFactor = 4

    private struct State {
        var room: Int
        /// Those who wait, with what they need; the first is let in first.
        var waiting: [(bytes: Int, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let capacity: Int
    private let state: Mutex<State>

    init(capacity: Int = LargeWork.capacity) {
        self.capacity = capacity
        state = Mutex(State(room: capacity))
    }

    /// What is left for others.
    var room: Int { state.withLock(\.room) }

    /// How many wait.
    var waitingCount: Int { state.withLock(\.waiting.count) }

    /// What a request needs that has a body of so many bytes.
    static func bytes(ofBody count: Int) -> Int { count * bodyFactor }

    /// Works once there is room for so many bytes; what is more than there is works alone.
    func pass<Result>(_ bytes: Int, _ work: @Sendable () async throws -> Result) async rethrows -> Result {
        guard bytes > Self.smallBytes else { return try await work() }
        let share = min(bytes, capacity)
        await enter(share)
        defer { leave(share) }
        return try await work()
    }

    private func enter(_ share: Int) async {
        await withCheckedContinuation { continuation in
            let isIn = state.withLock { state in
                guard state.waiting.isEmpty, state.room >= share else {
                    state.waiting.append((share, continuation))
                    return false
                }
                state.room -= share
                return true
            }
            if isIn { continuation.resume() }
        }
    }

    private func leave(_ share: Int) {
        let next = state.withLock { state in
            state.room += share
            var count = 0
            while count < state.waiting.count, state.waiting[count].bytes <= state.room {
                state.room -= state.waiting[count].bytes
                count += 1
            }
            defer { state.waiting.removeFirst(count) }
            return state.waiting.prefix(count).map(\.continuation)
        }
        for continuation in next { continuation.resume() }
    }
}
