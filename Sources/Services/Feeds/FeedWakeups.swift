package import CloudModel
import Synchronization
import Telemetry
import Timing
import Waiting

/// The one place of a process where readers of feeds wait. The process's view of the journals rings once for all of
/// them, so a waiting poll or stream has no reader on the log and costs memory only.
///
/// A ring says that a user's journal may have something new; the woken reader reads it. A missed one costs time only:
/// every reader reads again each `recheck`.
package final class FeedWakeups: Sendable {
    static let woken = Counter("fanfare_feeds_woken_total", "Waiting readers of feeds that were woken for news.")
    static let waiting = Gauge("fanfare_feeds_waiting", "Readers of feeds that wait for something new.")
    static let rechecks = Counter(
        "fanfare_feeds_rechecks_total", "Waiting readers of feeds that read again without news.")

    /// The time within which everybody who waits looks again.
    private static let recheck = Duration.seconds(30)
    /// The parts that those who wait are divided into for that, one after the other.
    private static let shares = 60

    /// A reader that waits.
    package final class Watch: Sendable {
        fileprivate struct State {
            var hasRung = false
            /// It was rung for because it is time, or something may have been missed, and not by news.
            var isRecheck = false
            var waiter: (@Sendable () -> Void)?
        }
        fileprivate let user: UserRecordName
        fileprivate let state = Mutex(State())

        fileprivate init(_ user: UserRecordName) { self.user = user }

        /// Returns true, once, if it was rung for without news.
        func takeRecheck() -> Bool { state.withLock { exchange(&$0.isRecheck, with: false) } }

        fileprivate func ring(isRecheck: Bool = false) {
            let waiter = state.withLock { state in
                if isRecheck { state.isRecheck = true }
                // The waiting reader reads now. Without a waiter, the ring is kept for the next one.
                if let waiter = state.waiter.take() { return Optional(waiter) }
                state.hasRung = true
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
                    state.hasRung = false
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
                ring()
            }
        }
    }

    private let watches = BusyMutex<[UserRecordName: [ObjectIdentifier: Watch]]>([:])

    package init() {}

    /// The users whose journals somebody watches.
    var waitingCount: Int { watches.withLock { $0.count } }

    /// Notes that a user's journal has something new.
    package func arrived(_ user: UserRecordName) {
        guard let found = watches.withLock({ $0[user].map { Array($0.values) } }) else { return }
        Self.woken.increment(by: found.count)
        for watch in found { watch.ring() }
    }

    /// Has everybody who waits look again, as news may have been missed.
    package func missed() { lookAgain { _ in true } }

    /// Has everybody who waits look again now and then, until the task is cancelled.
    package func run() async {
        let pause = Self.recheck / Self.shares
        while true {
            for share in 0..<Self.shares {
                do { try await Time.sleep(for: pause) } catch { return }
                lookAgain { Self.share(of: $0) == share }
            }
        }
    }

    /// The share of waiting readers that those of a user are in.
    private static func share(of user: UserRecordName) -> Int {
        user.rawValue.utf8.reduce(0) { ($0 &* 31 &+ Int($1)) & 0xFFFF_FFFF } % shares
    }

    /// Starts to watch a user's journal: later entries wake it. The caller calls `end` afterwards.
    package func watch(_ user: UserRecordName) -> Watch {
        let watch = Watch(user)
        watches.withLock { $0[user, default: [:]][ObjectIdentifier(watch)] = watch }
        Self.waiting.add(1)
        return watch
    }

    /// Watches no longer.
    package func end(_ watch: Watch) {
        Self.waiting.add(-1)
        watches.withLock { watches in
            watches[watch.user]?[ObjectIdentifier(watch)] = nil
            if watches[watch.user]?.isEmpty == true { watches[watch.user] = nil }
        }
    }

    private func lookAgain(where isMeant: (UserRecordName) -> Bool) {
        let found = watches.withLock { watches in
            watches.filter { isMeant($0.key) }.flatMap { Array($0.value.values) }
        }
        Self.rechecks.increment(by: found.count)
        for watch in found { watch.ring(isRecheck: true) }
    }
}
