package import EventLog
import Synchronization
import Timing

/// The state of reading that the feeds of a process share: waiting readers, cached readers, and the incarnation of the
/// log.
package final class FeedReading: Sendable {
    /// The cache time of the log's incarnation. A token of a cluster that this one replaced is also detected by
    /// the entry before it.
    private static let nameAge = Duration.seconds(1)
    /// Maximum age of a cached end of a partition of journals for a starting poll, so that polls read the end once a second
    /// and partition. Later entries wake the poll, so a stale end is safe while the view agrees with it and retention
    /// has not moved the start.
    package static let endAge = Duration.seconds(1)

    /// The place where readers wait; nil where each follows its feed by itself.
    let news: FeedWakeups?
    let kept = ReaderCache()
    let doubts: StaleEndGuard
    /// Maximum age of a cached end for a starting poll.
    let endAge: Duration
    private let log: any EventLog
    private let name = Mutex<String?>(nil)

    /// - Parameters:
    ///     - news: the place where readers wait; nil for readers that follow their feeds.
    ///     - endAge: maximum age of a cached end for a starting poll; tests make it longer.
    package init(_ log: any EventLog, news: FeedWakeups? = nil, endAge: Duration = FeedReading.endAge) {
        self.endAge = endAge
        doubts = StaleEndGuard(patience: log.staleBoundsMax)
        self.log = log
        self.news = news
    }

    /// The log's name, as it was a moment ago.
    func logName() async throws -> String {
        if let known = name.withLock({ $0 }) { return known }
        let text = try await log.identity()
        name.withLock { $0 = text }
        // A timer forgets it, so that no reading of a clock decides which requests are made.
        Task {
            try? await Time.sleep(for: Self.nameAge)
            name.withLock { $0 = nil }
        }
        return text
    }
}
