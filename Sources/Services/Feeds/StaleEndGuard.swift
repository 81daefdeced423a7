import CloudModel
import Timing
import Waiting

/// The feeds whose change tokens are ahead of the log.
///
/// A broker that lost leadership may report a stale end, and a token then seems to be of a log restored from an older
/// copy. Only an end that does not change is believed; until then the reader gets `TRY_AGAIN_LATER`.
final class StaleEndGuard: Sendable {
    private struct Doubt {
        var number: UInt64
        var isSettled = false
    }

    private struct State {
        var doubts: [FeedIdentity: Doubt] = [:]
        var count: UInt64 = 0
    }

    /// Feeds in doubt at once; beyond it an end is believed.
    private static let doubtsMax = 1_000

    private let patience: Duration
    private let state = BusyMutex(State())

    /// - Parameter patience: the time for which an end is doubted; zero for a log whose ends are always true.
    init(patience: Duration) { self.patience = patience }

    /// Notes that a token is ahead of the end.
    /// - Throws: `TRY_AGAIN_LATER` until that has been so for `patience`.
    func hear(of feed: FeedIdentity) throws(CloudError) {
        guard patience > .zero else { return }
        let (isBelieved, begun) = state.withLock { state -> (Bool, UInt64?) in
            if let doubt = state.doubts[feed] { return (doubt.isSettled, nil) }
            guard state.doubts.count < Self.doubtsMax else { return (true, nil) }
            state.count += 1
            state.doubts[feed] = Doubt(number: state.count)
            return (false, state.count)
        }
        if let begun { Task { await settle(feed, begun) } }
        if !isBelieved { throw Self.unsure }
    }

    /// Forgets a doubt: a token was seen that is not ahead.
    func clear(_ feed: FeedIdentity) {
        guard patience > .zero else { return }
        state.withLock { $0.doubts[feed] = nil }
    }

    /// Believes an end after the patience, for the same time again; then it is doubted once more.
    private func settle(_ feed: FeedIdentity, _ number: UInt64) async {
        try? await Time.sleep(for: patience)
        change(feed, number) { $0?.isSettled = true }
        try? await Time.sleep(for: patience)
        change(feed, number) { $0 = nil }
    }

    private func change(_ feed: FeedIdentity, _ number: UInt64, _ body: (inout Doubt?) -> Void) {
        state.withLock { state in
            guard state.doubts[feed]?.number == number else { return }
            body(&state.doubts[feed])
        }
    }

    private static let unsure = CloudError(
        .tryAgainLater,
        "the log does not hold what this token has seen, which may be for the moment only; send the same request again",
        retryAfterSeconds: 2)
}
