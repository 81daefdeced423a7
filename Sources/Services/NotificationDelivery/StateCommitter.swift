import EventLog
import Stages
import Synchronization
import Waiting

/// Commits the state of one partition a little after what it covers was written, while writing goes on.
///
/// A commit says that everything before an offset is in the feeds. It may come late: who starts from an earlier one writes
/// the same entries under the same names. So writing waits for a commit only where the log itself was changed
/// because of the state (`flush`), and where commits stand still (`makeRoom`).
final class StateCommitter: Sendable {
    /// The time from a note to the beginning of its commit, while no other is under way and nobody waits for it.
    static let pause = Duration.milliseconds(50)
    /// The time after a commit in which none begins but for a `flush`: while many register, one commit is for many of them. Each costs the
    /// broker four requests, and the client's main thread a millisecond of looking at its clock (librdkafka before 2.4).
    static let rest = Duration.milliseconds(50)
    /// Bytes of noted state after which writing waits.
    static let bytesMax = 4 << 20
    /// Notes that are not committed after which writing waits: what may have been fenced stops soon. A count, as a clock
    /// would let histories of a simulation differ.
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
        /// True while somebody waits for the commit of what is noted.
        var isWanted = false
        /// True while writing waits for it.
        var isFlushed = false
        /// Bytes of what is noted or being committed.
        var bytes = 0
        /// True when the work has ended: what is noted is committed at once, and then no more.
        var isEnding = false
    }

    private let session: any LogStateSession
    private let state = Mutex(State())
    private let bell = Bell<Ring>()

    init(_ session: any LogStateSession) { self.session = session }

    /// Notes state whose outputs are all acknowledged.
    /// - Parameters:
    ///   - changes: keys with their new values; nil removes a key.
    ///   - offset: the input's next offset.
    ///   - isUrgent: true where somebody waits for the state to be committed.
    func note(_ changes: [[UInt8]: [UInt8]?], offset: Int64, at time: LogTimestamp, isUrgent: Bool = false) {
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
    func flush() async throws {
        let number = state.withLock { state in
            // What is being committed needs no hurry.
            if state.noted != nil { (state.isWanted, state.isFlushed) = (true, true) }
            return state.notes
        }
        bell.ring(.wanted)
        bell.ring(.flushed)
        try await bell.wait(for: .committed) { state.withLock { $0.committed >= number } }
    }

    /// Waits while more is noted than writing may be ahead by.
    func makeRoom() async throws {
        let isFull = state.withLock { state in
            state.bytes > Self.bytesMax || state.notes - state.committed > Self.notesMax
        }
        if isFull { try await flush() }
    }

    /// Commits what is noted, again and again. A cancellation ends it after one more commit, so that whoever comes next
    /// has nothing to repeat, unless that takes long.
    /// - Throws: the failure of a commit, after which the state has to be taken over anew.
    func run() async throws {
        // A commit that is cancelled may have been made or not: it is not, while there is time.
        let work = Task { while try await commitNext() {} }
        try await withTaskCancellationHandler {
            try await work.value
        } onCancel: {
            state.withLock { $0.isEnding = true }
            bell.ringAll()
            Task {
                try? await Task.sleep(for: Self.endMax)
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
        KillPoint.reach(.deliverCommitted)
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
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.bell.wait(ticket, for: ring) }
            group.addTask { try? await Task.sleep(for: time) }
            await group.next()
            group.cancelAll()
        }
    }
}
