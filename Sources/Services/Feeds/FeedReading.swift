package import EventLog
import Synchronization

/// The parts of reading feeds that a process shares: where readers wait, those that are kept between pages, and the log's name.
package final class FeedReading: Sendable {
    /// The time for which the log's name is not asked for again. A token of another cluster that took this one's place is told
    /// from ours by the entry before it, too.
    private static let nameAge = Duration.seconds(1)
    /// The age that the end of a shared journal may have for who waits for news then, who is told of what has come since. So many who begin to wait
    /// ask the log once a second and partition, and not once each, while the view has what was told and retention has not moved the start.
    static let endAge = Duration.seconds(1)

    /// The place where readers wait; nil where each follows its feed by itself.
    let news: FeedNews?
    let kept = KeptReaders()
    let doubts: EndDoubts
    /// The age that an end may have for who waits for news.
    let endAge: Duration
    private let log: any EventLog
    private let name = Mutex<String?>(nil)

    /// - Parameter news: the place where readers wait; nil for readers that follow their feeds.
    package convenience init(_ log: any EventLog, news: FeedNews? = nil) {
        self.init(log, news: news, endAge: news == nil ? .zero : Self.endAge)
    }

    init(_ log: any EventLog, news: FeedNews?, endAge: Duration) {
        self.endAge = endAge
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
