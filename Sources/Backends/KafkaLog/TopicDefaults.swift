import Synchronization
import Timing

/// The settings that the cluster gives topics without their own, remembered for a while.
final class TopicDefaults: Sendable {
    /// The time for which they are taken as they were: an operator changes them seldom.
    private static let patience = Duration.seconds(60)

    private let kept = Mutex<(settings: [String: String], until: ContinuousClock.Instant)?>(nil)

    /// The settings, if they were asked for a short time ago.
    var settings: [String: String]? {
        kept.withLock { kept in kept.flatMap { Time.now < $0.until ? $0.settings : nil } }
    }

    /// Caches the settings read at this moment.
    func keep(_ settings: [String: String]) {
        kept.withLock { $0 = (settings, Time.now + Self.patience) }
    }
}
