import Synchronization

/// The pace of a log message that other parties can cause as often as they like: one line a minute.
package final class LogPace: Sendable {
    /// The time between two lines.
    package static let pause = Duration.seconds(60)

    private let clock: @Sendable () -> ContinuousClock.Instant
    private let state = Mutex<(last: ContinuousClock.Instant?, omitted: Int)>((nil, 0))

    /// The pace of one message.
    package init(clock: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) { self.clock = clock }

    /// The number of lines that were left out since the last one, if a line is due; nil if this one is left out, too.
    package func next() -> Int? {
        let now = clock()
        return state.withLock { state in
            if let last = state.last, now - last < Self.pause {
                state.omitted += 1
                return nil
            }
            defer { state = (now, 0) }
            return state.omitted
        }
    }
}
