package import EventLog
import Synchronization
import Timing
import Waiting

/// Commits the state of one partition shortly after its outputs were written, while writing goes on.
///
/// A commit says that everything before an offset is in the feeds. It may come late: a successor that starts from an
/// earlier one writes the same entries under the same names. So writing waits for a commit only after a change of the
/// log itself because of the state (`flush`), and while commits make no progress (`makeRoom`).
package final class StateCommitter: Sendable {
    /// The time from a note to the beginning of its commit, while no other is under way and nobody waits for it.
    static let pause = Duration.milliseconds(50)
    /// The time after a commit in which only a `flush` starts another: while many devices register, one commit covers
    /// many of them. Each costs the broker four requests, and the client's main thread a millisecond of reading its
    /// clock (librdkafka before 2.4).
    static let rest = Duration.milliseconds(50)
    /// Bytes of noted state after which writing waits.
    static let bytesMax = 4 << 20
    /// Uncommitted notes after which writing waits: a fenced process stops soon. A count, as a clock would let
    /// histories of a simulation differ.
    static let notesMax = 256

    /// The time that the last commit may take when the work ends.
    private static let endMax = Duration.seconds(2)

    private enum Ring: Hashable { case noted, wanted, flushed, committed }

    /// State that is not committed yet.
    private struct Noted {
        var changes: [[UInt8]: [UInt8]?] = [:]
        var offset: Int64 = 0
        var time = LogTimestamp(milliseconds: 0)
        var bytes = 0
    }

    private struct State {
        var noted: Noted?
        /// Notes that were made, and those of them that are committed.
        var notes = 0
        var committed = 0
        /// True while a caller waits for the commit of the noted state.
        var isWanted = false
        /// True while writing waits for it.
        var isFlushed = false
        /// Bytes of noted state, and of state in a commit.
        var bytes = 0
        /// True after the end of the work: the noted state is committed at once, and then no more.
        var isEnding = false
    }

    private let session: any LogStateSession
    /// The step that each commit reaches.
    private let committed: KillPoint?
    private let state = Mutex(State())
    private let bell = Bell<Ring>()

    package init(_ session: any LogStateSession, reaching committed: KillPoint? = nil) {
        self.session = session
        self.committed = committed
    }

    /// Notes state whose outputs are all acknowledged.
    /// - Parameters:
    ///   - changes: keys with their new values; nil removes a key.
    ///   - offset: the input's next offset.
    ///   - isUrgent: true where somebody waits for the state to be committed.
    package func note(_ changes: [[UInt8]: [UInt8]?], offset: Int64, at time: LogTimestamp, isUrgent: Bool = false) {
        let bytes = changes.reduce(0) { $0 + $1.key.count + ($1.value?.count ?? 0) }
        state.withLock { state in
            var noted = state.noted ?? Noted()
            noted.changes.merge(changes) { $1 }
            noted.offset = offset
            noted.time = max(noted.time, time)
            noted.bytes += bytes
            state.noted = noted
            state.bytes += bytes
            state.notes += 1
            state.isWanted = state.isWanted || isUrgent
        }
        bell.ring(.noted)
        if isUrgent { bell.ring(.wanted) }
    }

    /// Waits until all that was noted is committed.
    package func flush() async throws {
        let number = state.withLock { state in
            // A commit in progress needs no hurry.
            if state.noted != nil { (state.isWanted, state.isFlushed) = (true, true) }
            return state.notes
        }
        bell.ring(.wanted)
        bell.ring(.flushed)
        try await bell.wait(for: .committed) { state.withLock { $0.committed >= number } }
    }

    /// Waits while more is noted than writing may be ahead by.
    package func makeRoom() async throws {
        let isFull = state.withLock { state in
            state.bytes > Self.bytesMax || state.notes - state.committed > Self.notesMax
        }
        if isFull { try await flush() }
    }

    /// Commits the noted state repeatedly. A cancellation ends it after one more commit, so that a successor has
    /// nothing to repeat, unless that takes long.
    /// - Throws: the failure of a commit, after which the state has to be taken over again.
    package func run() async throws {
        // A commit that is cancelled may have been made or not: it is not, while there is time.
        let work = Task { while try await commitNext() {} }
        try await withTaskCancellationHandler {
            try await work.value
        } onCancel: {
            state.withLock { $0.isEnding = true }
            bell.ringAll()
            Task {
                try? await Time.sleep(for: Self.endMax)
                work.cancel()
            }
        }
    }

    /// Returns false when the work has ended and everything is committed.
    private func commitNext() async throws -> Bool {
        try await bell.wait(for: .noted) { state.withLock { $0.noted != nil || $0.isEnding } }
        await sleep(Self.pause, unless: .wanted) { $0.isWanted }
        try Task.checkCancellation()
        let (noted, number) = state.withLock { state in
            (state.isWanted, state.isFlushed) = (false, false)
            return (state.noted.take(), state.notes)
        }
        guard let noted else { return false }
        try await session.commit(noted.changes, offset: noted.offset, at: noted.time)
        if let committed { KillPoint.reach(committed) }
        state.withLock { state in
            state.committed = number
            state.bytes -= noted.bytes
        }
        bell.ring(.committed)
        await sleep(Self.rest, unless: .flushed) { $0.isFlushed }
        return true
    }

    /// Returns when a time is over, or at once when the work ends, or something holds whose coming rings.
    private func sleep(_ time: Duration, unless ring: Ring, _ isOver: (borrowing State) -> Bool) async {
        let ticket = bell.register(ring)
        guard !state.withLock({ isOver($0) || $0.isEnding }) else { return bell.drop(ticket, for: ring) }
        _ = try? await Time.race(within: time) { await self.bell.wait(ticket, for: ring) }
    }
}
