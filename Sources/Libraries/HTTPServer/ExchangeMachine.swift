/// What has become of one request, as a value: who may wake its connection, and who comes too late.
///
/// The connection is suspended exactly while the phase is `waiting`, so each way out of that phase says "wake it", and
/// says so once.
struct ExchangeMachine {
    /// Whether a server that ends waits for the work.
    enum Wait: Equatable {
        case later
        case held
    }

    enum Phase {
        /// The body is arriving.
        case receiving
        /// Refused by its head; answered when the small body that was announced is read.
        case settled(HTTPResponse)
        case waiting(Wait)
        /// Woken: a worker is about to take the answer.
        case ready(HTTPResponse)
        /// Woken, because the client left.
        case gone
        case answered
        case ended
    }

    enum Turn {
        /// The body is complete: ask the handler.
        case ask
        case send(HTTPResponse)
        case close
    }

    private(set) var phase: Phase = .receiving

    mutating func settle(_ response: HTTPResponse) { phase = .settled(response) }

    mutating func wait(_ wait: Wait) { phase = .waiting(wait) }

    /// True when the connection must be woken; false when nobody waits for this answer any more.
    mutating func finish(_ response: HTTPResponse) -> Bool {
        guard case .waiting = phase else { return false }
        phase = .ready(response)
        return true
    }

    /// True when the connection must be woken so that it can be closed.
    mutating func clientLeft() -> Bool {
        guard case .waiting = phase else { return false }
        phase = .gone
        return true
    }

    /// What a worker does when the whole request is there, or the connection was woken.
    mutating func turn() -> Turn {
        switch phase {
        case .receiving: return .ask
        case .settled(let response), .ready(let response):
            phase = .answered
            return .send(response)
        case .waiting, .gone, .answered, .ended: return .close
        }
    }

    mutating func answered() { phase = .answered }

    /// The answer nobody took, if there is one.
    mutating func end() -> HTTPResponse? {
        defer { phase = .ended }
        switch phase {
        case .settled(let response), .ready(let response): return response
        default: return nil
        }
    }

    var isHeld: Bool {
        if case .waiting(.held) = phase { true } else { false }
    }

    var isWaiting: Bool {
        if case .waiting = phase { true } else { false }
    }
}
