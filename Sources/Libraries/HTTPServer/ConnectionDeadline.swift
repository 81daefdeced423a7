/// Until when a connection must have sent what it is expected to send. Pure: the clock is asked elsewhere.
struct ConnectionDeadline {
    enum Phase: UInt8 {
        /// Before the request line: nothing was asked, so nothing is answered.
        case idle
        case headers
        case body
        /// An answer is being sent, of which the client has to take some.
        case answer
        /// A complete request is being answered; its answer has deadlines of its own.
        case none
        /// Given up: no one may go on with the connection.
        case expired
    }

    enum Verdict: Equatable {
        case inTime
        case close
        case answerTimedOut
    }

    private(set) var phase: Phase = .idle
    private var deadline: ContinuousClock.Instant
    private var bodyBegan: ContinuousClock.Instant
    private var isFirst = true
    /// Indicates whether the connection may be closed to make room for others while this request's body arrives.
    var yieldsWhileArriving = false
    private let timeouts: HTTPServerTimeouts

    /// A new connection has the time of one request's headers to send its first.
    init(opened now: ContinuousClock.Instant, timeouts: HTTPServerTimeouts) {
        self.timeouts = timeouts
        deadline = now + timeouts.headers
        bodyBegan = now
    }

    mutating func requestLine(_ now: ContinuousClock.Instant) {
        guard phase == .idle else { return }
        phase = .headers
        if !isFirst { deadline = now + timeouts.headers }
    }

    /// False when the deadline had passed.
    mutating func headersComplete(bodyFollows: Bool, _ now: @autoclosure () -> ContinuousClock.Instant) -> Bool {
        guard phase != .expired else { return false }
        phase = bodyFollows ? .body : .none
        yieldsWhileArriving = false
        guard bodyFollows else { return true }
        bodyBegan = now()
        deadline = bodyBegan + timeouts.body
        return true
    }

    /// False when the deadline had passed. `bytes` is all that came of the body.
    mutating func bodyArrived(bytes: Int) -> Bool {
        if phase == .body {
            let extra = Duration.seconds(bytes / timeouts.bodyBytesPerSecondMinimum)
            deadline = bodyBegan + min(timeouts.body + extra, max(timeouts.body, timeouts.bodyTotal))
        }
        return phase != .expired
    }

    mutating func bodyComplete() -> Bool {
        guard phase != .expired else { return false }
        phase = .none
        return true
    }

    /// An answer of so many bytes is about to be sent; not a stream, which has no end of its own.
    mutating func answering(bytes: Int, _ now: @autoclosure () -> ContinuousClock.Instant) {
        guard phase == .none else { return }
        phase = .answer
        let extra = Duration.seconds(bytes / timeouts.answerBytesPerSecondMinimum)
        deadline = now() + timeouts.idle + extra
    }

    /// Until when the connection may rest: before its next request, with a head that is not complete, or with a body of
    /// nobody known.
    var restsUntil: ContinuousClock.Instant? {
        phase == .idle || phase == .headers || phase == .body && yieldsWhileArriving ? deadline : nil
    }

    /// True when nobody waits for an answer: the connection is given up.
    mutating func closeResting() -> Bool {
        guard restsUntil != nil else { return false }
        phase = .expired
        return true
    }

    /// The answer is sent; libmicrohttpd closes what stays idle, this closes what dribbles a request line.
    mutating func answered(_ now: ContinuousClock.Instant) {
        guard phase != .expired else { return }
        phase = .idle
        isFirst = false
        deadline = now + timeouts.idle + timeouts.headers
    }

    /// True when a request was arriving, which is given up now.
    mutating func giveUp() -> Bool {
        switch phase {
        case .headers, .body:
            phase = .expired
            return true
        case .idle, .answer, .none, .expired: return false
        }
    }

    mutating func check(_ now: ContinuousClock.Instant) -> Verdict {
        guard now >= deadline else { return .inTime }
        switch phase {
        case .none, .expired: return .inTime
        case .idle, .answer:
            phase = .expired
            return .close
        case .headers, .body:
            phase = .expired
            return .answerTimedOut
        }
    }
}
