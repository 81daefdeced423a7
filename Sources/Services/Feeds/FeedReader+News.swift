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
        let watch = watch(by: news)
        if afterWait { lookBehindEnd() }
        return try await look(by: watch, limit, Limits.notificationsPageBytesMax, false)
    }

    /// The page of a wait that ended without entries.
    package var emptyPage: FeedPage { FeedPage(items: [], place: cursor.place, moreComing: false) }

    /// Waits until there is something.
    func next(by news: FeedWakeups, _ limit: Int, _ bytesMax: Int, _ isEager: Bool) async throws -> FeedPage {
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

    private func look(
        by watch: FeedWakeups.Watch, _ limit: Int, _ bytesMax: Int, _ isEager: Bool
    ) async throws -> FeedPage {
        let page = try await page(limit: limit, bytesMax: bytesMax, isEager: isEager)
        // A reader with entries to read continues, whatever became of the log.
        if page.items.isEmpty, watch.takeRecheck() { try await confirmView() }
        return page
    }

    /// Checks that the process's view still follows the log: the view alone wakes readers, and a reader with a position
    /// in it does not ask the log.
    /// - Throws: `LogError.unavailable` if it does not; other processes may have entries that this one lacks.
    private func confirmView() async throws {
        do {
            guard let entries = try await sources.reader(of: cursor.identity, in: cursor.place.part) else {
                throw LogError.unknownTopic(sources.layout.journals.rawValue)
            }
            _ = try await entries.batch(from: entries.bounds.end)
        } catch let error as LogError {
            let partition = sources.layout.journals(of: cursor.identity.user)
            throw LogError.unavailable("the view of \(partition) does not follow the log: \(error)")
        }
    }

    /// The reader's watch. Entries from before it was made have to be read.
    private func watch(by news: FeedWakeups) -> FeedWakeups.Watch {
        if let watch { return watch }
        let made = news.watch(cursor.identity.user)
        watch = made
        lookBehindEnd()
        return made
    }
}
