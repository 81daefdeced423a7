package import CloudModel
package import EventLog
import Synchronization
import Telemetry

/// The one place of a process where readers of feeds wait: stage 2's news are followed once for all of them, so that a poll or
/// stream that waits has no reader on the log and costs memory only.
///
/// News are hints. One says that a feed has an entry of some name, or will have it in a moment; whoever waits reads the feed. One that
/// is missing costs time: everybody looks again every `recheck` without being told.
package final class FeedNews: Sendable {
    static let woken = Counter("fanfare_feeds_woken_total", "Waiting readers of feeds that were told of something new.")
    static let waiting = Gauge("fanfare_feeds_waiting", "Readers of feeds that wait for something new.")
    static let rechecks = Counter(
        "fanfare_feeds_rechecks_total", "Waiting readers of feeds that looked again without being told.")

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
            /// It was rung for without a name: only a look tells what there is.
            var isBlind = false
            /// It was rung for because it is time, or something may have been missed, and not by news.
            var isRecheck = false
            var newest: SourcePosition?
            var waiter: (@Sendable () -> Void)?
        }
        fileprivate let subject: Subject
        fileprivate let state = Mutex(State())

        fileprivate init(_ subject: Subject) { self.subject = subject }

        /// Takes the name of the newest entry that it was told of; nil when there was no news since.
        func takeNews() -> SourcePosition? {
            state.withLock { state in
                // Who takes a name looks for it, and need not be woken for it as well.
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
                // Who waits looks now. The ring is kept for who does not wait yet.
                if let waiter = state.waiter.take() { return Optional(waiter) }
                state.hasRung = true
                if name == nil { state.isBlind = true }
                return nil
            }
            waiter?()
        }

        /// Calls `body` once when it is rung for; at once when it was since the last time. Nil takes back what was not called.
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

    private let watches = Mutex<[Subject: [ObjectIdentifier: Watch]]>([:])

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
                do { try await Task.sleep(for: pause) } catch { return }
                lookAgain { $0.share(of: Self.shares) == share }
            }
        }
    }

    /// Begins to watch a feed: what comes from now on is told. `end` has to follow.
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
