/// The state of one request: decides which event wakes its connection, and which answers come too late.
///
/// The connection is suspended exactly while the phase is `waiting`, so each transition out of that phase says "wake
/// it", once.
struct ExchangeMachine {
    /// The two kinds of work: a server that ends waits for the one and gives up the other.
    enum Wait: Equatable {
        case later
        case held
    }

    enum Phase {
        /// The body is arriving.
        case receiving
        /// Refused by its head; answered when the small body that was announced is read.
        case settled(HTTPResponse)
        /// The work has begun on the worker, which has not suspended the connection.
        case working(Wait)
        case waiting(Wait)
        /// The worker is about to take the answer.
        case ready(HTTPResponse)
        /// The client left; the worker is about to close the connection.
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

    enum Arrival: Equatable {
        /// The connection is suspended and must be woken.
        case wake
        /// The worker will find it.
        case noted
        /// The request is over: the answer is dropped.
        case late
    }

    private(set) var phase: Phase = .receiving

    mutating func settle(_ response: HTTPResponse) { phase = .settled(response) }

    mutating func work(_ wait: Wait) { phase = .working(wait) }

    /// True when the connection must be suspended, as the work is not done.
    mutating func wait() -> Bool {
        guard case .working(let wait) = phase else { return false }
        phase = .waiting(wait)
        return true
    }

    mutating func finish(_ response: HTTPResponse) -> Arrival { leaveWork(for: .ready(response)) }

    mutating func clientLeft() -> Arrival { leaveWork(for: .gone) }

    private mutating func leaveWork(for next: Phase) -> Arrival {
        switch phase {
        case .working:
            phase = next
            return .noted
        case .waiting:
            phase = next
            return .wake
        default: return .late
        }
    }

    /// Returns a worker's next step when the whole request is there, or the connection was woken.
    mutating func turn() -> Turn {
        switch phase {
        case .receiving: return .ask
        case .settled(let response), .ready(let response):
            phase = .answered
            return .send(response)
        case .working, .waiting, .gone, .answered, .ended: return .close
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

    /// Indicates whether a server that ends refuses the answer at once.
    var isHeld: Bool {
        switch phase {
        case .working(let wait), .waiting(let wait): wait == .held
        default: false
        }
    }

    var isWaiting: Bool {
        if case .waiting = phase { true } else { false }
    }
}
