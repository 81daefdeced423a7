package import CloudModel
package import EventLog
import Synchronization
import Telemetry
import Timing
import Waiting

/// The one place of a process where readers of feeds wait. It follows stage 2's hints once for all of them, so a
/// waiting poll or stream has no reader on the log and costs memory only.
///
/// Hints announce that a feed has an entry of some name, or will have it soon; the woken reader reads the feed. A
/// missing hint costs time only: every reader reads again each `recheck`.
package final class FeedWakeups: Sendable {
    static let woken = Counter("fanfare_feeds_woken_total", "Waiting readers of feeds that a hint woke.")
    static let waiting = Gauge("fanfare_feeds_waiting", "Readers of feeds that wait for something new.")
    static let rechecks = Counter(
        "fanfare_feeds_rechecks_total", "Waiting readers of feeds that read again without a hint.")

    /// The time within which everybody who waits looks again.
    private static let recheck = Duration.seconds(30)
    /// The parts that those who wait are divided into for that, one after the other.
    private static let shares = 60

    /// A feed that may have something new.
    enum Subject: Hashable, Sendable {
        /// The feed of one life of a device.
        case life(device: DeviceID, epoch: DeviceEpoch)
        /// The journal of a user, which all of the user's devices read.
        case user(UserRecordName)

        /// The share of those who wait, of `count`, that it is in.
        fileprivate func share(of count: Int) -> Int {
            switch self {
            case .life(_, let epoch): Int(epoch.rawValue.magnitude % UInt64(count))
            case .user(let name): name.rawValue.utf8.reduce(0) { ($0 &* 31 &+ Int($1)) & 0xFFFF_FFFF } % count
            }
        }
    }

    /// A reader that waits.
    package final class Watch: Sendable {
        fileprivate struct State {
            var hasRung = false
            /// It was rung for without a name: only a read shows the entries.
            var isBlind = false
            /// It was rung for because it is time, or something may have been missed, and not by news.
            var isRecheck = false
            var newest: SourcePosition?
            var waiter: (@Sendable () -> Void)?
        }
        fileprivate let subject: Subject
        fileprivate let state = Mutex(State())

        fileprivate init(_ subject: Subject) { self.subject = subject }

        /// Takes the name of the newest announced entry; nil if there was none since.
        func takeNews() -> SourcePosition? {
            state.withLock { state in
                // A caller that takes the name reads for it, and need not be woken for it as well.
                if state.newest != nil, !state.isBlind { state.hasRung = false }
                return state.newest.take()
            }
        }

        /// Returns true, once, if it was rung for without news.
        func takeRecheck() -> Bool { state.withLock { exchange(&$0.isRecheck, with: false) } }

        fileprivate func ring(_ name: SourcePosition?, isRecheck: Bool = false) {
            let waiter = state.withLock { state in
                if isRecheck { state.isRecheck = true }
                if let name { state.newest = name }
                // The waiting reader reads now. Without a waiter, the ring is kept for the next one.
                if let waiter = state.waiter.take() { return Optional(waiter) }
                state.hasRung = true
                if name == nil { state.isBlind = true }
                return nil
            }
            waiter?()
        }

        /// Calls `body` once when it is rung for; at once if it was rung for since the last call. Nil withdraws the
        /// callback.
        package func whenRung(_ body: (@Sendable () -> Void)?) {
            let isTime = state.withLock { state in
                guard let body, !state.hasRung else {
                    state.waiter = nil
                    guard body != nil else { return false }
                    (state.hasRung, state.isBlind) = (false, false)
                    return true
                }
                state.waiter = body
                return false
            }
            if isTime { body?() }
        }

        /// Waits until it is rung for; at once when it was since the last time, or when the task is cancelled.
        func wait() async {
            await withTaskCancellationHandler {
                await withCheckedContinuation { continuation in
                    whenRung { continuation.resume() }
                }
            } onCancel: {
                ring(nil)
            }
        }
    }

    private let watches = BusyMutex<[Subject: [ObjectIdentifier: Watch]]>([:])

    package init() {}

    /// The feeds that somebody watches.
    var waitingCount: Int { watches.withLock { $0.count } }

    /// Notes that a feed has an entry, or will have it in a moment.
    /// - Parameter name: the entry's name.
    package func arrived(_ device: DeviceID, _ epoch: DeviceEpoch, _ name: SourcePosition) {
        ring(.life(device: device, epoch: epoch), name)
    }

    /// Notes that a user's journal has something new.
    package func arrived(_ user: UserRecordName) { ring(.user(user), nil) }

    private func ring(_ subject: Subject, _ name: SourcePosition?) {
        guard let found = watches.withLock({ $0[subject].map { Array($0.values) } }) else { return }
        Self.woken.increment(by: found.count)
        for watch in found { watch.ring(name) }
    }

    /// Has everybody who waits look again, as news may have been missed.
    package func missed() { lookAgain { _ in true } }

    /// Has everybody who waits look again now and then, until the task is cancelled.
    package func run() async {
        let pause = Self.recheck / Self.shares
        while true {
            for share in 0..<Self.shares {
                do { try await Time.sleep(for: pause) } catch { return }
                lookAgain { $0.share(of: Self.shares) == share }
            }
        }
    }

    /// Starts to watch a feed: later entries wake it. The caller calls `end` afterwards.
    func watch(_ subject: Subject) -> Watch {
        let watch = Watch(subject)
        watches.withLock { $0[subject, default: [:]][ObjectIdentifier(watch)] = watch }
        Self.waiting.add(1)
        return watch
    }

    /// Watches no longer.
    func end(_ watch: Watch) {
        Self.waiting.add(-1)
        watches.withLock { watches in
            watches[watch.subject]?[ObjectIdentifier(watch)] = nil
            if watches[watch.subject]?.isEmpty == true { watches[watch.subject] = nil }
        }
    }

    private func lookAgain(where isMeant: (Subject) -> Bool) {
        let found = watches.withLock { watches in
            watches.filter { isMeant($0.key) }.flatMap { Array($0.value.values) }
        }
        Self.rechecks.increment(by: found.count)
        for watch in found { watch.ring(nil, isRecheck: true) }
    }
}
