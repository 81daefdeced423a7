import CCurl

/// The requests to one origin: those that wait for a place on its connection, and those in libcurl.
final class OriginQueue {
    private struct Waiting {
        var transfer: Transfer
        var deadline: ContinuousClock.Instant
    }

    let origin: Substring
    var window: StreamWindow
    /// The requests in libcurl.
    private(set) var active: [UInt64: MultiplexedTransfer] = [:]
    /// The number of sockets that were opened, which numbers the connections.
    private(set) var connection = 0
    /// Changes whenever something is received.
    var progress = 0
    /// True if an answer came by HTTP/1, where a connection that ends leaves open what the server did.
    var speaksHTTP1 = false
    /// The connection is to be left: the next request makes another.
    var needsConnection = false
    /// The newest socket; libcurl may have closed it.
    var socket: Int32 = -1

    private let streamsMaximum: Int
    private var abandoned = 0
    private var abandonedConnection = 0
    private var order: [UInt64] = []
    private var first = 0
    private var waiting: [UInt64: Waiting] = [:]
    /// The loop's turn in which a request opened a socket, and which one.
    private var opener: (turn: Int, identity: UInt64)?

    init(origin: Substring, streamsMaximum: Int) {
        self.origin = origin
        self.streamsMaximum = streamsMaximum
        window = StreamWindow(maximum: streamsMaximum)
    }

    /// The server has closed the connection while no request was on it. libcurl would look for that and miss a TLS
    /// connection that was closed in order.
    var isHungUp: Bool { active.isEmpty && socket >= 0 && curl_is_hung_up(socket) != 0 }
    var isEmpty: Bool { active.isEmpty && waiting.isEmpty }
    var hasWaiting: Bool { !waiting.isEmpty }
    var canStart: Bool { !waiting.isEmpty && active.count < window.size }
    /// A new request need not wait.
    var canStartAnother: Bool { waiting.isEmpty && active.count < window.size }

    func append(_ transfer: Transfer, deadline: ContinuousClock.Instant) {
        waiting[transfer.identity] = Waiting(transfer: transfer, deadline: deadline)
        order.append(transfer.identity)
    }

    /// Lets a request wait in front of all others.
    func putBack(_ transfer: Transfer, deadline: ContinuousClock.Instant) {
        waiting[transfer.identity] = Waiting(transfer: transfer, deadline: deadline)
        if first > 0 {
            first -= 1
            order[first] = transfer.identity
        } else {
            order.insert(transfer.identity, at: 0)
        }
    }

    /// The next request to start, and the time it has.
    func next() -> (Transfer, deadline: ContinuousClock.Instant)? {
        while first < order.count {
            let identity = order[first]
            first += 1
            if first > 1024 && first > order.count / 2 {
                order.removeFirst(first)
                first = 0
            }
            if let next = waiting.removeValue(forKey: identity) { return (next.transfer, next.deadline) }
        }
        return nil
    }

    /// Takes a request out that waits.
    func remove(_ identity: UInt64) -> Transfer? { waiting.removeValue(forKey: identity)?.transfer }

    /// Takes those out that wait: all, or those whose time is over.
    func removeWaiting(until now: ContinuousClock.Instant? = nil) -> [Transfer] {
        let removed = waiting.filter { entry in now.map { entry.value.deadline <= $0 } ?? true }
        for identity in removed.keys { waiting[identity] = nil }
        return removed.sorted { $0.key < $1.key }.map(\.value.transfer)
    }

    func add(_ active: MultiplexedTransfer, _ identity: UInt64) { self.active[identity] = active }

    func removeActive(_ identity: UInt64) { active[identity] = nil }

    /// A request was given up that the server may still work on: libcurl does not reset its stream, which takes a place
    /// on the connection until it is answered. When a quarter is lost that way the connection is left.
    func abandon() {
        if connection != abandonedConnection {
            abandonedConnection = connection
            abandoned = 0
        }
        abandoned += 1
        if abandoned >= max(1, streamsMaximum / 4) {
            abandoned = 0
            needsConnection = true
        }
    }

    /// Returns true if a request may open a socket: one request in each turn, or all those that libcurl holds back would try,
    /// one after another, when a server refuses connections.
    func opensSocket(for identity: UInt64, turn: Int) -> Bool {
        if let opener, opener.turn == turn, opener.identity != identity { return false }
        opener = (turn, identity)
        connection += 1
        return true
    }
}
