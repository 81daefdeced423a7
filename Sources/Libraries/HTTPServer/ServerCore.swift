import Synchronization
import Waiting

#if canImport(Glibc)
    import Glibc
#endif

/// The state that all connections of one server share. Retained by the daemon until it has stopped.
final class ServerCore: Sendable {
    /// The stages of a server's end. Only ever rises.
    enum Stage: Int, Comparable {
        case running
        /// No connection is taken, no request begun, nothing held; running requests finish.
        case stopping
        /// The grace is over: nothing waits for anything.
        case abandoning

        static func < (left: Stage, right: Stage) -> Bool { left.rawValue < right.rawValue }
    }

    struct Counters: ~Copyable {
        let connections = Atomic(0)
        let requests = Atomic(0)
        let waiting = Atomic(0)
        let streams = Atomic(0)
    }

    let configuration: HTTPServerConfiguration
    let handler: any HTTPHandler
    let counters = Counters()
    let watch: Watch
    /// The memory that bodies may take.
    let bodies: MemoryBudget
    /// The memory that answers may take.
    let answers: MemoryBudget
    let proxies: TrustedProxies
    /// Connections by address.
    let peers = PeerTable()
    private let connections = BusyMutex<[UInt64: Connection]>([:])
    private let lastIdentity = Atomic<UInt64>(0)
    private let stageValue = Atomic(Stage.running.rawValue)

    init(configuration: HTTPServerConfiguration, handler: any HTTPHandler, watch: Watch) {
        self.configuration = configuration
        self.handler = handler
        self.watch = watch
        let bodiesMaximum = configuration.bodiesBytesMaximum
        // An account and an address may always send one body of the largest size.
        bodies = MemoryBudget(
            maximum: bodiesMaximum, shareOfName: max(bodiesMaximum / 4, configuration.bodyBytesMaximum),
            shareOfAddress: max(bodiesMaximum / 2, configuration.bodyBytesMaximum))
        answers = MemoryBudget(
            maximum: configuration.answersBytesMaximum, shareOfName: configuration.answersBytesMaximum / 4,
            shareOfAddress: configuration.answersBytesMaximum / 2)
        proxies = TrustedProxies(ranges: configuration.trustedProxies)
    }

    var stage: Stage {
        get { Stage(rawValue: stageValue.load(ordering: .sequentiallyConsistent)) ?? .abandoning }
        set { stageValue.store(newValue.rawValue, ordering: .sequentiallyConsistent) }
    }

    func log(_ severity: HTTPServerEvent.Severity, _ message: @autoclosure () -> String) {
        configuration.log(HTTPServerEvent(severity: severity, message: message()))
    }

    /// The owner's words for a refusal, or bare ones if they cannot be sent.
    func refusal(_ refusal: HTTPRefusal) -> HTTPResponse { checked(handler.refusal(refusal), refusal) }

    /// The same for a request that is not admitted.
    func refusal(_ refusal: HTTPRefusal, ofUnadmittedFrom client: ClientAddress?) -> HTTPResponse {
        checked(handler.refusal(refusal, ofUnadmittedFrom: client), refusal)
    }

    private func checked(_ response: HTTPResponse, _ refusal: HTTPRefusal) -> HTTPResponse {
        if let defect = response.defect {
            log(.error, "The refusal for \(refusal) cannot be sent: \(defect).")
            return HTTPResponse(status: refusal.status)
        }
        switch response.body {
        case .empty, .bytes: return response
        case .file, .stream, .resting:
            response.discard(.clientLeft)
            log(.error, "The refusal for \(refusal) has a body that is not in memory.")
            return HTTPResponse(status: refusal.status, headers: response.headers)
        }
    }
}

// MARK: Shares

extension ServerCore {
    /// To whose shares the memory of a request counts.
    func accounts(_ name: String?, _ client: ClientAddress?) -> [MemoryBudget.Account] {
        var accounts: [MemoryBudget.Account] = []
        if let name { accounts.append(.named(name)) }
        if let address = configuration.shareholder(client) { accounts.append(.address(address)) }
        return accounts
    }

    /// Counts a connection to its address, unless that has its share already.
    func enters(_ address: inout sockaddr_storage) -> Bool {
        guard let peer = shareholder(&address) else { return true }
        return peers.enter(peer, of: configuration.connectionsPerAddress)
    }

    /// The connection did not come to be.
    func leaves(_ address: inout sockaddr_storage) {
        if let peer = shareholder(&address) { peers.leave(peer) }
    }

    private func shareholder(_ address: inout sockaddr_storage) -> ClientAddress? {
        configuration.shareholder(
            withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { ClientAddress($0) }
            })
    }

    /// Closes resting connections, those with the nearest deadlines first, so that new ones find room: a client with
    /// many silent connections loses them, not later clients. Returns their number.
    func closeResting(_ count: Int) -> Int {
        var resting: [(until: ContinuousClock.Instant, connection: Connection)] = []
        for connection in allConnections {
            if let until = connection.restsUntil { resting.append((until, connection)) }
        }
        resting.sort { $0.until < $1.until }
        for entry in resting.prefix(count) { entry.connection.closeResting() }
        return min(count, resting.count)
    }
}

// MARK: Connections

extension ServerCore {
    func opened(_ pointer: OpaquePointer) -> Connection {
        let count = counters.connections.add(1, ordering: .relaxed).newValue
        let connection = Connection(
            pointer, identity: Watch.firstConnection + lastIdentity.add(1, ordering: .relaxed).oldValue,
            isSurplus: count > configuration.connectionsMaximum, isEncrypted: configuration.tls != nil,
            timeouts: configuration.timeouts)
        connections.withLock { $0[connection.identity] = connection }
        return connection
    }

    func closed(_ connection: Connection) {
        connections.withLock { _ = $0.removeValue(forKey: connection.identity) }
        if let descriptor = connection.closed() { watch.linger(descriptor) }
        if let peer = configuration.shareholder(connection.peer) { peers.leave(peer) }
        counters.connections.subtract(1, ordering: .relaxed)
    }

    var allConnections: [Connection] { connections.withLock { Array($0.values) } }

    func connection(_ identity: UInt64) -> Connection? { connections.withLock { $0[identity] } }

    var counts: HTTPServerCounts {
        HTTPServerCounts(
            connections: counters.connections.load(ordering: .relaxed),
            requests: counters.requests.load(ordering: .relaxed),
            waiting: counters.waiting.load(ordering: .relaxed),
            streams: counters.streams.load(ordering: .relaxed))
    }
}

// MARK: What the watch finds

extension ServerCore {
    /// Looks at every connection: its deadlines, and whether its client must be watched.
    func inspectConnections(poll: Int32) {
        let now = ContinuousClock.now
        for connection in allConnections {
            let findings = connection.inspect(now, poll: poll)
            act(on: findings.verdict, connection)
            findings.waiting?.inspect(now)
        }
    }

    func act(on verdict: ConnectionDeadline.Verdict, _ connection: Connection) {
        switch verdict {
        case .inTime: break
        case .close: connection.shutDown()
        case .answerTimedOut: refuseArriving(connection)
        }
    }

    func clientLeft(_ identity: UInt64) {
        switch connection(identity)?.clientLeft() {
        case .exchange(let exchange): exchange.clientLeft()
        case .stream(let stream): stream.end(.clientLeft)
        case nil: break
        }
    }

    private func refuseArriving(_ connection: Connection) {
        if let refusal = connection.refusalDue { answerEarly(connection, refusal) }
        connection.shutDown()
    }

    /// Answers a request that was given up while it arrived, on its worker, which closes the connection then: the other
    /// thread, which gave it up, may not have answered yet. Nothing for a connection that was closed while it rested.
    func answerLate(_ connection: Connection) {
        if let refusal = connection.refusalDue { answerEarly(connection, refusal) }
        connection.lingerAfterEarlyAnswer()
    }

    func answerEarly(_ connection: Connection, _ refusal: HTTPRefusal) {
        let response = self.refusal(refusal)
        let bytes = identified(response).closingBytes(reasonPhrase: Daemon.reasonPhrase(response.status))
        guard connection.answerEarly(bytes), let count = response.bytesCount, count > 0 else { return }
        handler.sending(count, to: connection.peer, admitted: nil)
    }

    /// The answer with the header `Server`, where the configuration has a name.
    func identified(_ response: HTTPResponse) -> HTTPResponse {
        guard let name = configuration.serverName else { return response }
        var response = response
        response.headers.append(("Server", name))
        return response
    }
}

// MARK: The end

extension ServerCore {
    /// Held answers are refused and streams finished; everything else goes on.
    func beginStopping() {
        stage = .stopping
        for connection in allConnections {
            switch connection.waiter {
            case .exchange(let exchange): exchange.stopHolding()
            case .stream(let stream): stream.finish()
            case nil: break
            }
        }
    }

    /// Cuts short everything that still runs.
    func abandon() {
        stage = .abandoning
        for connection in allConnections {
            switch connection.waiter {
            case .exchange(let exchange): exchange.abandon(.stopping)
            case .stream(let stream): stream.end(.serverStopped)
            case nil:
                if connection.giveUpArriving() { refuseArriving(connection) }
            }
        }
    }

    /// Ordered with `stage`: either the stopping thread sees no request left, or the last request sees that it has to
    /// wake it.
    var hasRequests: Bool { counters.requests.load(ordering: .sequentiallyConsistent) > 0 }

    func requestEnded() {
        let left = counters.requests.subtract(1, ordering: .sequentiallyConsistent).newValue
        if left == 0 && stage > .running { watch.drained() }
    }
}
