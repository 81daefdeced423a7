import Feeds
import HTTPServer
import Identity
import Synchronization
import Timing
import Waiting

/// A poll that waits without a task: for something new in a feed, for revocations of its user, and for the end of its
/// time. What it reads is its subject's.
final class HeldPoll<Subject: PolledFeed>: HTTPResting {
    private struct State {
        var poll = FeedPoll()
        var wake: (@Sendable () -> Void)?
        var watch: FeedWakeups.Watch?
        var session: SessionWatch?
        var alarm: AlarmClock.Alarm?
        var whenOver: (@Sendable () -> Void)?
        /// True once somebody has to close the subject, or has.
        var isSubjectTaken = false
    }

    let subject: Subject
    private let until: ContinuousClock.Instant
    private let alarms: AlarmClock
    private let state = Mutex(State())

    /// - Parameter wait: the time after which the poll is answered in any case.
    init(_ subject: Subject, wait: Duration, alarms: AlarmClock) {
        self.subject = subject
        self.alarms = alarms
        until = Time.now + wait
    }

    /// Answers the request that begins the poll, which is over unless it rests.
    func begin(_ answer: () async throws -> HTTPResponse) async throws -> HTTPResponse {
        do {
            let response = try await answer()
            if !response.isResting { leave() }
            return response
        } catch {
            leave()
            throw error
        }
    }

    /// Watches the session, in place of the watch before.
    func watch(_ session: SessionWatch) {
        state.withLock { exchange(&$0.session, with: session) }?.drop()
    }

    /// Returns the answer of the poll: something new, or nothing at the end of its time; nil if it has to wait on.
    func next() async throws -> Subject.Found? {
        if let isFirst = state.withLock({ $0.poll.beginReading() }) {
            if let found = try await read(isFirst) { return answered(found) }
            let watch = await subject.watch
            state.withLock { state in
                state.watch = watch
                state.poll.foundNothing()
            }
        }
        guard until <= Time.now else { return nil }
        return answered(await subject.nothing())
    }

    private func answered(_ found: Subject.Found) -> Subject.Found {
        state.withLock { $0.poll.answer() }
        return found
    }

    /// Reads; where the subject's readings end in time, no longer than the poll has time.
    private func read(_ isFirst: Bool) async throws -> Subject.Found? {
        guard Subject.endsInTime else { return try await subject.read(isFirst: isFirst) }
        let reading = Task { [subject] in try await subject.read(isFirst: isFirst) }
        let end = alarms.call(after: until - Time.now) { reading.cancel() }
        defer { alarms.cancel(end) }
        do {
            return try await withTaskCancellationHandler {
                try await reading.value
            } onCancel: {
                reading.cancel()
            }
        } catch is CancellationError where !Task.isCancelled {
            return await subject.nothing()
        }
    }

    /// The subject, for the caller to close.
    func takeSubject() -> Subject {
        state.withLock { $0.isSubjectTaken = true }
        return subject
    }

    /// Calls `body` when the poll is over.
    func whenOver(_ body: @escaping @Sendable () -> Void) { state.withLock { $0.whenOver = body } }

    func rest(_ wake: @escaping @Sendable () -> Void) {
        let parts = state.withLock { state -> (session: SessionWatch?, watch: FeedWakeups.Watch?)? in
            guard state.poll.state != .over else { return nil }
            state.wake = wake
            return (state.session, state.watch)
        }
        guard let (session, watch) = parts else { return }
        let patience = max(.zero, until - Time.now)
        let alarm = alarms.call(after: min(patience, session?.patience ?? patience)) { self.wakeUp() }
        session?.whenTakenBack { self.wakeUp() }
        watch?.whenRung {
            self.state.withLock { $0.poll.ring() }
            self.wakeUp()
        }
        // Each of them may have come meanwhile, and the next rest begun. To wake once too often is harmless.
        let (present, isKept) = state.withLock { state in
            let isKept = state.wake != nil && state.alarm == nil
            if isKept { state.alarm = alarm }
            return (state.poll.state, isKept)
        }
        if !isKept { alarms.cancel(alarm) }
        if present == .over { watch?.whenRung(nil) }
        if present == .reading { wakeUp() }
    }

    func leave() {
        let (body, watch, isTaken) = state.withLock { state in
            state.wake = nil
            state.poll.end()
            return (state.whenOver.take(), state.watch.take(), exchange(&state.isSubjectTaken, with: true))
        }
        quiet()
        // The registered callback holds the poll.
        watch?.whenRung(nil)
        body?()
        if !isTaken { Task { [subject] in await subject.close() } }
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
