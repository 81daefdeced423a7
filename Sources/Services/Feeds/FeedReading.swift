package import EventLog
import Synchronization

/// The parts of reading feeds that a process shares: where readers wait, those that are kept between pages, and the log's name.
package final class FeedReading: Sendable {
    /// The time for which the log's name is not asked for again. A token of another cluster that took this one's place is told
    /// from ours by the entry before it, too.
    private static let nameAge = Duration.seconds(1)

    /// The place where readers wait; nil where each follows its feed by itself.
    let news: FeedNews?
    let kept = KeptReaders()
    private let log: any EventLog
    private let name = Mutex<(text: String, since: ContinuousClock.Instant)?>(nil)

    package init(_ log: any EventLog, news: FeedNews? = nil) {
        self.log = log
        self.news = news
    }

    /// The log's name, as it was a moment ago.
    func logName() async throws -> String {
        if let known = name.withLock({ $0 }), .now - known.since < Self.nameAge { return known.text }
        let text = try await log.identity()
        name.withLock { $0 = (text, .now) }
        return text
    }
}
