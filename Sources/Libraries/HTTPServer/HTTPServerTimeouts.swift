/// The times that a client may take. Each is a deadline of its own: a byte now and then does not move it.
package struct HTTPServerTimeouts: Sendable {
    /// A connection on which nothing moves is closed after so long; also one whose client reads no answer.
    package var idle: Duration = .seconds(60)
    /// The time for the headers of a request, from their first byte; for the first request, from the start of the
    /// connection.
    package var headers: Duration = .seconds(10)
    /// The body must be complete so long after the headers, and a second later for each
    /// `bodyBytesPerSecondMinimum` bytes that came.
    package var body: Duration = .seconds(30)
    /// The least that a client must send each second of a body that takes longer than `body`.
    package var bodyBytesPerSecondMinimum: Int = 16 << 10
    /// No body may take longer, however much of it comes.
    package var bodyTotal: Duration = .seconds(900)
    /// The least that a client must take each second of an answer that takes longer than `idle`; not of streams.
    package var answerBytesPerSecondMinimum: Int = 8 << 10
    /// The work of `HTTPAnswer.later` and `.held` is cancelled after so long, and answered `answerTimedOut`.
    package var answer: Duration = .seconds(120)

    /// Makes time-outs that suit clients on the Internet: every value can be changed.
    package init() {}
}
