import CloudMessages
import CloudModel
import EventLog
import Waiting

/// Waiting by news: a reader that is told when there may be something looks then, and holds nothing of the log meanwhile.
extension FeedReader {
    /// Looks for what is new: what there is at the first time, later what the reader was told of. An empty page where there is nothing.
    ///
    /// Between two looks the reader waits without a task: `watch` tells when it is time.
    /// - Parameter afterWait: true where the reader was told that it is time; false for the first look of a wait.
    package func look(limit: Int, by news: FeedNews, afterWait: Bool) async throws -> FeedPage {
        if afterWait { lookBehindEnd() } else { begin(by: news) }
        return try await look(by: watch(by: news), limit, Limits.notificationsPageBytesMax, false)
    }

    /// The page of who waits no longer, though nothing came.
    package var emptyPage: FeedPage { FeedPage(items: [], place: cursor.place, moreComing: false) }

    /// Waits until there is something.
    func next(by news: FeedNews, _ limit: Int, _ bytesMax: Int, _ isEager: Bool) async throws -> FeedPage {
        begin(by: news)
        let watch = watch(by: news)
        while true {
            // Who waits keeps nothing of the work.
            let page = try await Task.apart { try await self.look(by: watch, limit, bytesMax, isEager) }
            if !page.items.isEmpty { return page }
            await watch.wait()
            try Task.checkCancellation()
            lookBehindEnd()
        }
    }

    private func begin(by news: FeedNews) {
        _ = watch(by: news)
        // Having read what it was told of, a reader waits for more without asking the log where its end is.
        if let told, hasSeen(told) { restAtEnd() }
    }

    private func look(
        by watch: FeedNews.Watch, _ limit: Int, _ bytesMax: Int, _ isEager: Bool
    ) async throws -> FeedPage {
        if let name = watch.takeNews() { told = name }
        let name = told
        let page = try await pageWithNews(name, limit, bytesMax, isEager)
        // What is told of and not there yet, behind a page, is looked for by the next.
        guard page.items.isEmpty else { return page }
        // Who has something to read goes on with that, whatever became of the log meanwhile.
        if watch.takeRecheck(), layout.feeds == .sharded { try await confirmView() }
        if let name, !hasSeen(name) { told = nil }
        rest()
        return page
    }

    /// Makes sure that the process's view still follows the log: it alone tells of news, and who keeps a place in it does not ask the log.
    /// - Throws: `LogError.unavailable` when it does not; other processes may have what this one has not.
    private func confirmView() async throws {
        let journal = TopicPartition(layout.journal(cursor.identity.user))
        do {
            guard let bounds = try await log.bounds(of: [journal])[journal] else {
                throw LogError.unknownTopic("\(journal)")
            }
            try await log.look(journal, from: bounds.end, holding: bounds).close()
        } catch let error as LogError {
            throw LogError.unavailable("the view of \(journal) does not follow the log: \(error)")
        }
    }

    /// The reader's watch; what came before it was made has to be looked for.
    private func watch(by news: FeedNews) -> FeedNews.Watch {
        if let watch { return watch }
        let identity = cursor.identity
        let made = news.watch(
            layout.feeds == .sharded
                ? .user(identity.user) : .life(device: identity.device, epoch: identity.epoch))
        watch = made
        lookBehindEnd()
        return made
    }

    /// A page. News may come a moment before what they tell of: that is looked for a few times.
    private func pageWithNews(
        _ name: SourcePosition?, _ limit: Int, _ bytesMax: Int, _ isEager: Bool
    ) async throws -> FeedPage {
        var pause = Duration.milliseconds(1)
        var looks = 0
        if let name, !hasSeen(name) { lookBehindEnd() }
        while true {
            let page = try await page(limit: limit, bytesMax: bytesMax, isEager: isEager)
            guard page.items.isEmpty, let name, !hasSeen(name), looks < Self.looksMax else { return page }
            try await Task.sleep(for: pause)
            pause = min(pause * 2, Self.lookPauseMax)
            looks += 1
            lookBehindEnd()
        }
    }

    /// Looks for what news tell of: ten seconds, as writing may take long.
    private static let looksMax = 48
    private static let lookPauseMax = Duration.milliseconds(250)

    private func hasSeen(_ name: SourcePosition) -> Bool {
        cursor.place.position.seen[name.source].map { !name.isAbove($0) } ?? false
    }
}
