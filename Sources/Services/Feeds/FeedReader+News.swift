import CloudMessages
import CloudModel
import EventLog
import Timing
import Waiting

/// Waiting by wakeups: the reader reads when it is woken, and uses nothing of the log until then.
extension FeedReader {
    /// Reads new entries: at first everything there is, later the entries it was woken for. Returns an empty page if
    /// there are none.
    ///
    /// Between two reads the reader waits without a task: `watch` calls back.
    /// - Parameter afterWait: true if the watch called back; false for the first read of a wait.
    package func look(limit: Int, by news: FeedWakeups, afterWait: Bool) async throws -> FeedPage {
        if afterWait { lookBehindEnd() } else { begin(by: news) }
        return try await look(by: watch(by: news), limit, Limits.notificationsPageBytesMax, false)
    }

    /// The page of a wait that ended without entries.
    package var emptyPage: FeedPage { FeedPage(items: [], place: cursor.place, moreComing: false) }

    /// Waits until there is something.
    func next(by news: FeedWakeups, _ limit: Int, _ bytesMax: Int, _ isEager: Bool) async throws -> FeedPage {
        begin(by: news)
        let watch = watch(by: news)
        while true {
            // Detached, so that the waiting task's stack stays small (0027).
            let page = try await Task.apart { try await self.look(by: watch, limit, bytesMax, isEager) }
            if !page.items.isEmpty { return page }
            await watch.wait()
            try Task.checkCancellation()
            lookBehindEnd()
        }
    }

    private func begin(by news: FeedWakeups) {
        _ = watch(by: news)
        // After the entry that it was woken for, a reader waits without reading the end of the log.
        if let announced, hasSeen(announced) { restAtEnd() }
    }

    private func look(
        by watch: FeedWakeups.Watch, _ limit: Int, _ bytesMax: Int, _ isEager: Bool
    ) async throws -> FeedPage {
        if let name = watch.takeNews() { announced = name }
        let name = announced
        let page = try await pageWithNews(name, limit, bytesMax, isEager)
        // The next page reads the announced entry that is not there yet.
        guard page.items.isEmpty else { return page }
        // A reader with entries to read continues, whatever became of the log.
        if watch.takeRecheck(), layout.feeds == .sharded { try await confirmView() }
        if let name, !hasSeen(name) { announced = nil }
        rest()
        return page
    }

    /// Checks that the process's view still follows the log: the view alone wakes readers, and a reader with a position
    /// in it does not ask the log.
    /// - Throws: `LogError.unavailable` if it does not; other processes may have entries that this one lacks.
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

    /// The reader's watch. Entries from before it was made have to be read.
    private func watch(by news: FeedWakeups) -> FeedWakeups.Watch {
        if let watch { return watch }
        let identity = cursor.identity
        let made = news.watch(
            layout.feeds == .sharded
                ? .user(identity.user) : .life(device: identity.device, epoch: identity.epoch))
        watch = made
        lookBehindEnd()
        return made
    }

    /// Returns a page. A wakeup may come shortly before its entry, so the read is repeated a few times.
    private func pageWithNews(
        _ name: SourcePosition?, _ limit: Int, _ bytesMax: Int, _ isEager: Bool
    ) async throws -> FeedPage {
        var pause = Duration.milliseconds(1)
        var looks = 0
        if let name, !hasSeen(name) { lookBehindEnd() }
        while true {
            let page = try await page(limit: limit, bytesMax: bytesMax, isEager: isEager)
            guard page.items.isEmpty, let name, !hasSeen(name), looks < Self.looksMax else { return page }
            try await Time.sleep(for: pause)
            pause = min(pause * 2, Self.lookPauseMax)
            looks += 1
            lookBehindEnd()
        }
    }

    /// Reads for an announced entry: ten seconds, as the write may take long.
    private static let looksMax = 48
    private static let lookPauseMax = Duration.milliseconds(250)

    private func hasSeen(_ name: SourcePosition) -> Bool {
        cursor.place.position.seen[name.source].map { !name.isAbove($0) } ?? false
    }
}
