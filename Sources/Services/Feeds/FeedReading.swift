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
    let doubts: EndDoubts
    private let log: any EventLog
    private let name = Mutex<String?>(nil)

    /// - Parameter news: the place where readers wait; nil for readers that follow their feeds.
    package init(_ log: any EventLog, news: FeedNews? = nil) {
        doubts = EndDoubts(patience: log.oldEndsLast)
        self.log = log
        self.news = news
    }

    /// The log's name, as it was a moment ago.
    func logName() async throws -> String {
        if let known = name.withLock({ $0 }) { return known }
        let text = try await log.identity()
        name.withLock { $0 = text }
        // Forgotten by itself, so that no clock decides what is asked.
        Task {
            try? await Task.sleep(for: Self.nameAge)
            name.withLock { $0 = nil }
        }
        return text
    }
}
