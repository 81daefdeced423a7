import CloudModel
import Feeds
import HTTPServer
import Identity
import Synchronization
import Timing
import Waiting

/// A poll for notifications that waits without a task: for new entries of its feed, for revocations of its user, and
/// for its time-out.
final class HeldPoll: HTTPResting {
    private struct State {
        var wake: (@Sendable () -> Void)?
        /// Indicates whether the feed has to be read: at first, and after each wakeup.
        var hasNews = true
        var isFirst = true
        var watch: FeedWakeups.Watch?
        var session: SessionWatch?
        var alarm: AlarmClock.Alarm?
        var isReaderTaken = false
        var whenOver: (@Sendable () -> Void)?
        var isOver = false

        /// Returns true if the first look is to be made, false for a later one; nil where there is none to be made.
        mutating func takeNews() -> Bool? {
            guard hasNews else { return nil }
            hasNews = false
            return exchange(&isFirst, with: false)
        }
    }

    let question: APICall.FeedQuestion
    /// The time at which the request came, by the clock that sessions end by.
    let begun: Timestamp
    /// The time at which the session of its user ends by itself; nil where there is none.
    let ends: Timestamp?
    private let reader: FeedReader
    private let news: FeedWakeups
    private let until: ContinuousClock.Instant
    private let alarms: AlarmClock
    private let state = Mutex(State())

    init(
        _ question: APICall.FeedQuestion, _ reader: FeedReader, _ news: FeedWakeups, begun: Timestamp, ends: Timestamp?,
        alarms: AlarmClock
    ) {
        self.question = question
        self.reader = reader
        self.news = news
        self.begun = begun
        self.ends = ends
        self.alarms = alarms
        until = Time.now + question.wait
    }

    /// Watches the session, in place of the watch before.
    func watch(_ session: SessionWatch) {
        state.withLock { exchange(&$0.session, with: session) }?.drop()
    }

    /// The page that answers the poll: new notifications, or none at the time-out; nil if it has to wait on.
    func page() async throws -> FeedPage? {
        if let isFirst = state.withLock({ $0.takeNews() }) {
            let page = try await look(isFirst)
            if !page.items.isEmpty { return page }
            let watch = await reader.watch
            state.withLock { $0.watch = watch }
        }
        guard until <= Time.now else { return nil }
        return await reader.emptyPage
    }

    /// Reads, but no longer than the poll has time.
    private func look(_ isFirst: Bool) async throws -> FeedPage {
        let look = Task { [reader, news, question] in
            try await reader.look(limit: question.limit, by: news, afterWait: !isFirst)
        }
        let end = alarms.call(after: until - Time.now) { look.cancel() }
        defer { alarms.cancel(end) }
        do {
            return try await withTaskCancellationHandler {
                try await look.value
            } onCancel: {
                look.cancel()
            }
        } catch is CancellationError where !Task.isCancelled {
            return await reader.emptyPage
        }
    }

    /// The reader, for the caller to close or cache.
    func takeReader() -> FeedReader {
        state.withLock { $0.isReaderTaken = true }
        return reader
    }

    /// Calls `body` when the poll is over.
    func whenOver(_ body: @escaping @Sendable () -> Void) { state.withLock { $0.whenOver = body } }

    func rest(_ wake: @escaping @Sendable () -> Void) {
        let parts = state.withLock { state -> (session: SessionWatch?, watch: FeedWakeups.Watch?)? in
            guard !state.isOver else { return nil }
            state.wake = wake
            return (state.session, state.watch)
        }
        guard let (session, watch) = parts else { return }
        let patience = max(.zero, until - Time.now)
        let alarm = alarms.call(after: min(patience, session?.patience ?? patience)) { self.wakeUp() }
        session?.whenTakenBack { self.wakeUp() }
        watch?.whenRung {
            self.state.withLock { $0.hasNews = true }
            self.wakeUp()
        }
        // Each of them may have come meanwhile, and the next rest begun. To wake once too often is harmless.
        let (isOver, isKept, hasNews) = state.withLock { state in
            let isKept = state.wake != nil && state.alarm == nil
            if isKept { state.alarm = alarm }
            return (state.isOver, isKept, state.hasNews)
        }
        if !isKept { alarms.cancel(alarm) }
        if isOver { watch?.whenRung(nil) }
        if hasNews { wakeUp() }
    }

    func leave() {
        let (body, watch, isReaderTaken) = state.withLock { state in
            (state.wake, state.isOver) = (nil, true)
            return (state.whenOver.take(), state.watch.take(), exchange(&state.isReaderTaken, with: true))
        }
        quiet()
        // The registered callback holds the poll.
        watch?.whenRung(nil)
        body?()
        if !isReaderTaken { Task { [reader] in await reader.close() } }
    }

    private func wakeUp() {
        guard let wake = state.withLock({ $0.wake.take() }) else { return }
        quiet()
        wake()
    }

    /// Waits for nothing any more.
    private func quiet() {
        let (alarm, session, watch) = state.withLock { ($0.alarm.take(), $0.session.take(), $0.watch) }
        if let alarm { alarms.cancel(alarm) }
        session?.drop()
        watch?.whenRung(nil)
    }
}
