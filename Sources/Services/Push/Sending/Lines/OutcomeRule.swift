import CloudModel

/// Decides the consequences of an outcome. Pure.
enum OutcomeRule {
    /// The consequence for the push and its address.
    enum Verdict: Equatable {
        /// The provider has it.
        case sent
        /// It is dropped; the address stays.
        case dropped(PushFailure)
        /// The address is removed, and the push dropped.
        case removed(PushFailure)
        /// It is sent again in the same sending.
        case atOnce(PushFailure)
        /// It is sent again later.
        case again(after: Duration, tries: Int, PushFailure)
        /// It is sent again without its contents.
        case withoutContents(PushFailure)
        /// It waits until a probe shows that the credential is accepted.
        case stopped(PushFailure)
    }

    /// The consequence for other pushes.
    enum Effect: Equatable {
        /// The provider answers.
        case answered
        /// The line fails.
        case failed(wish: Duration?)
        /// The credential is refused.
        case refused
        /// The provider was not asked.
        case none
    }

    private static let first = Duration.seconds(1)
    private static let longest = Duration.seconds(900)
    /// A provider's wish beyond that is not followed.
    private static let wishMax = Duration.seconds(86_400)
    /// Times that a push is sent again in one sending, before it is a failure of the line.
    static let atOnceMax = 3

    /// - Parameters:
    ///   - atOnce: times that it was sent again at once in this sending.
    ///   - isLineOpen: true while the line's circuit is open: the push then waits for that, not for a time of its own.
    ///   - jitter: 0 to 1.
    static func judge(
        _ outcome: PushOutcome, of push: WaitingPush, registered: Timestamp, doubt: AddressDoubt, atOnce: Int,
        isLineOpen: Bool = false,
        jitter: Double
    ) -> (verdict: Verdict, effect: Effect) {
        switch outcome {
        case .accepted: return (.sent, .answered)
        case .dropped(let failure): return (.dropped(failure), .answered)
        case .gone(let failure, let since):
            let isOlder = since.map { registered < $0 } ?? true
            return (isOlder ? .removed(failure) : .dropped(failure), .answered)
        case .doubtful(let failure):
            if doubt.stops { return (.stopped(failure), .refused) }
            return (doubt.condemns ? .removed(failure) : .dropped(failure), .answered)
        case .misconfigured(let failure): return (.stopped(failure), .refused)
        case .tooLarge(let failure):
            return (push.isWithoutContents ? .dropped(failure) : .withoutContents(failure), .answered)
        case .failed(let failure, let retry): return again(failure, retry, push, atOnce, isLineOpen, jitter)
        }
    }

    private static func again(
        _ failure: PushFailure, _ retry: PushRetry, _ push: WaitingPush, _ atOnce: Int, _ isLineOpen: Bool,
        _ jitter: Double
    ) -> (verdict: Verdict, effect: Effect) {
        let tries = push.tries + 1
        switch retry {
        case .atOnce where atOnce < atOnceMax: return (.atOnce(failure), .none)
        case .atOnce: return (.again(after: pause(push.tries, nil, jitter), tries: tries, failure), .failed(wish: nil))
        case .address(let wish):
            return (.again(after: pause(push.tries, wish, jitter), tries: tries, failure), .answered)
        case .line(let wish):
            // Once at once, on another connection.
            let pause = wish == nil && (isLineOpen || push.tries == 0) ? .zero : pause(push.tries - 1, wish, jitter)
            return (.again(after: pause, tries: tries, failure), .failed(wish: wish.map { min($0, wishMax) }))
        }
    }

    /// The pause before the next time: the provider's wish, or a part of 1 s that doubles up to 15 min.
    private static func pause(_ tries: Int, _ wish: Duration?, _ jitter: Double) -> Duration {
        if let wish { return min(max(wish, .zero), wishMax) }
        return min(first * (1 << min(max(tries, 0), 20)), longest) * jitter
    }
}

extension OutcomeRule.Verdict {
    /// True for a result that is shown with the address: there is one, and an address still.
    var isNoted: Bool {
        switch self {
        case .sent, .dropped, .again, .stopped: true
        case .removed, .atOnce, .withoutContents: false
        }
    }
}
