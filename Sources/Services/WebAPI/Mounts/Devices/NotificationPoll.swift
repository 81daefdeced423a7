import CloudModel
import Feeds

/// A poll for new notifications of a feed, which holds the feed's reader.
struct NotificationPoll: PolledFeed {
    static let endsInTime = true

    let question: APICall.FeedQuestion
    let reader: FeedReader
    let news: FeedWakeups
    /// The time at which the request came, by the clock that sessions end by.
    let begun: Timestamp
    /// The time at which the session of its user ends by itself; nil where there is none.
    let ends: Timestamp?

    var watch: FeedWakeups.Watch? { get async { await reader.watch } }

    func read(isFirst: Bool) async throws -> FeedPage? {
        let page = try await reader.look(limit: question.limit, by: news, afterWait: !isFirst)
        return page.items.isEmpty ? nil : page
    }

    func nothing() async -> FeedPage { await reader.emptyPage }

    func close() async { await reader.close() }
}
