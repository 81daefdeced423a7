import CloudModel
import Feeds
import HTTPServer
import Identity
import Synchronization
import Waiting

/// A poll for notifications that waits without a task: for news of its feed, for what is taken back from its user, and for its end.
final class HeldPoll: HTTPResting {
    private struct State {
        var wake: (@Sendable () -> Void)?
        /// Indicates whether the feed has to be looked at: at first, and whenever news told of something.
        var hasNews = true
        var watch: FeedNews.Watch?
        var session: SessionWatch?
        var alarm: AlarmClock.Alarm?
        var isReaderTaken = false
        var whenOver: (@Sendable () -> Void)?
    }

    let question: APICall.FeedQuestion
    /// The time at which the request came, by the clock that sessions end by.
    let begun: Timestamp
    /// The time at which the session of its user ends by itself; nil where there is none.
    let ends: Timestamp?
    private let reader: FeedReader
    private let news: FeedNews
    private let until: ContinuousClock.Instant
    private let alarms: AlarmClock
    private let state = Mutex(State())

    init(
        _ question: APICall.FeedQuestion, _ reader: FeedReader, _ news: FeedNews, begun: Timestamp, ends: Timestamp?,
        alarms: AlarmClock
    ) {
        self.question = question
        self.reader = reader
        self.news = news
        self.begun = begun
        self.ends = ends
        self.alarms = alarms
        until = .now + question.wait
    }

    /// Watches the session, in place of the watch before.
    func watch(_ session: SessionWatch) {
        state.withLock { exchange(&$0.session, with: session) }?.drop()
    }

    /// The page that answers the poll: what is new, or nothing when its time is over; nil when it has to wait on.
    func page() async throws -> FeedPage? {
        if state.withLock({ exchange(&$0.hasNews, with: false) }) {
            let page = try await reader.look(limit: question.limit, by: news)
            if !page.items.isEmpty { return page }
            let watch = await reader.watch
            state.withLock { $0.watch = watch }
        }
        guard until <= .now else { return nil }
        return await reader.emptyPage
    }

    /// The reader, for who closes it or keeps it.
    func takeReader() -> FeedReader {
        state.withLock { $0.isReaderTaken = true }
        return reader
    }

    /// Calls `body` when the poll is over.
    func whenOver(_ body: @escaping @Sendable () -> Void) { state.withLock { $0.whenOver = body } }

    func rest(_ wake: @escaping @Sendable () -> Void) {
        let (session, watch) = state.withLock { state in
            state.wake = wake
            return (state.session, state.watch)
        }
        let patience = max(.zero, until - .now)
        let alarm = alarms.call(after: min(patience, session?.patience ?? patience)) { self.wakeUp() }
        let isAwake = state.withLock { state in
            state.alarm = alarm
            return state.wake == nil
        }
        if isAwake { return quiet() }
        session?.whenTakenBack { self.wakeUp() }
        watch?.whenRung {
            self.state.withLock { $0.hasNews = true }
            self.wakeUp()
        }
    }

    func leave() {
        let (body, isReaderTaken) = state.withLock { state in
            state.wake = nil
            return (state.whenOver.take(), exchange(&state.isReaderTaken, with: true))
        }
        quiet()
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
