import CMicroHTTPD
import Synchronization

#if canImport(Glibc)
    import Glibc
#endif

/// One TCP connection: its descriptor while it is open, its deadline, and the callback that waits on it.
///
/// Retained by the daemon's connection from `NOTIFY_CONNECTION` started to closed, which both run on its worker.
final class Connection: Sendable {
    /// The object for which the connection is suspended, or will be.
    enum Waiter {
        case exchange(Exchange)
        case stream(HTTPResponseStream)
    }

    /// The actions that one look at the connection asks for.
    struct Findings {
        var verdict: ConnectionDeadline.Verdict
        var waiting: Exchange?
    }

    private struct State {
        var isOpen = true
        var deadline: ConnectionDeadline
        var target: String?
        var waiter: Waiter?
        /// Indicates whether the poll reports when the client leaves. It reports once.
        var isArmed = false
        var lingers = false
        /// The refusal of a request that was given up while it arrived; nil for a connection that just ends.
        var refusal: HTTPRefusal?
        var isAnsweredEarly = false
        var end = EndLook.none
    }

    /// The check after an answer whether the client has ended its side: libmicrohttpd does not notice an end that
    /// arrived with the request, as its edge-triggered poll reports both at once. A whole tick passes first, so that a
    /// request that it had received before is started: the connection closes within half a second, not after the idle
    /// time-out.
    private enum EndLook {
        case none, due, next
    }

    let identity: UInt64
    /// True for a connection above the limit, which is let in only to be answered with 503.
    let isSurplus: Bool
    let remoteAddress: String
    /// Nil for other families than IP.
    let peer: ClientAddress?
    private let handle: Handle
    private let descriptor: Int32
    private let isEncrypted: Bool
    private let state: Mutex<State>

    convenience init(
        _ pointer: OpaquePointer, identity: UInt64, isSurplus: Bool, isEncrypted: Bool, timeouts: HTTPServerTimeouts
    ) {
        self.init(
            pointer, descriptor: microhttpd_descriptor(pointer), address: microhttpd_client_address(pointer),
            identity: identity, isSurplus: isSurplus, isEncrypted: isEncrypted, timeouts: timeouts)
    }

    /// - Parameters:
    ///   - pointer: the daemon's connection; nil for one that is never suspended.
    ///   - address: the client's.
    init(
        _ pointer: OpaquePointer?, descriptor: Int32, address: UnsafePointer<sockaddr>?, identity: UInt64,
        isSurplus: Bool, isEncrypted: Bool, timeouts: HTTPServerTimeouts
    ) {
        handle = Handle(pointer: pointer)
        self.identity = identity
        self.isSurplus = isSurplus
        self.isEncrypted = isEncrypted
        self.descriptor = descriptor
        remoteAddress = numericAddress(address)
        peer = address.flatMap { ClientAddress($0) }
        var timeouts = timeouts
        if isSurplus { timeouts.headers = min(timeouts.headers, .seconds(2)) }
        state = Mutex(State(deadline: ConnectionDeadline(opened: .now, timeouts: timeouts)))
    }
}

// MARK: The life of a request, on the worker

extension Connection {
    func requestLine(_ target: String) {
        state.withLock {
            $0.end = .none
            $0.target = target
            $0.deadline.requestLine(.now)
        }
    }

    /// The target of the request whose head is complete; nil when its time was over.
    func headersComplete(bodyFollows: Bool) -> String? {
        state.withLock {
            guard $0.deadline.headersComplete(bodyFollows: bodyFollows, .now) else { return nil }
            return $0.target.take() ?? ""
        }
    }

    /// Lets the connection count as one that rests until its body is there.
    func yieldWhileArriving() { state.withLock { $0.deadline.yieldsWhileArriving = true } }

    func bodyArrived(bytes: Int) -> Bool { state.withLock { $0.deadline.bodyArrived(bytes: bytes) } }

    func bodyComplete() -> Bool { state.withLock { $0.deadline.bodyComplete() } }

    /// True when a request was arriving, which nobody will wait for any more: it is to be refused as `stopping`. From
    /// any thread.
    func giveUpArriving() -> Bool {
        state.withLock {
            guard $0.deadline.giveUp() else { return false }
            $0.refusal = .stopping
            return true
        }
    }

    /// The refusal of a request that was given up while it arrived, until it is sent; nil where nothing is answered.
    var refusalDue: HTTPRefusal? { state.withLock { $0.isAnsweredEarly || isEncrypted ? nil : $0.refusal } }

    /// An answer of so many bytes is about to be sent.
    func answering(bytes: Int) { state.withLock { $0.deadline.answering(bytes: bytes, .now) } }

    /// Closes the connection if it still rests.
    func closeResting() {
        if state.withLock({ $0.deadline.closeResting() }) { shutDown() }
    }

    /// The time until which the connection may rest; nil while a request is in work, or arrives from a known client.
    var restsUntil: ContinuousClock.Instant? { state.withLock { $0.isOpen ? $0.deadline.restsUntil : nil } }

    func answered() {
        state.withLock {
            $0.waiter = nil
            $0.deadline.answered(.now)
            $0.end = .due
        }
    }

    /// Keeps the socket open for a while after the answer, so that a client that is still sending gets to read it.
    func lingerAfterAnswer() { state.withLock { $0.lingers = true } }

    /// The same, if an early answer was sent.
    func lingerAfterEarlyAnswer() { state.withLock { $0.lingers = $0.lingers || $0.isAnsweredEarly } }

    /// The daemon is about to close the descriptor. Returns a copy of it if it is to linger.
    func closed() -> Int32? {
        state.withLock {
            $0.isOpen = false
            $0.waiter = nil
            guard $0.lingers else { return nil }
            let copy = microhttpd_duplicate(descriptor)
            return copy >= 0 ? copy : nil
        }
    }
}

// MARK: Suspending

extension Connection {
    /// Registers the waiter, unless `isRefused`, which runs under the lock that `waiter` takes: a stopping server sets
    /// the flag that `isRefused` reads and then visits all connections, so it either refuses here or finds the waiter
    /// there.
    func register(_ waiter: Waiter, unless isRefused: () -> Bool) -> Bool {
        state.withLock {
            guard !isRefused() else { return false }
            $0.waiter = waiter
            return true
        }
    }

    func unregisterWaiter() { state.withLock { $0.waiter = nil } }

    var waiter: Waiter? { state.withLock { $0.waiter } }

    /// Only in a callback of this connection, on its worker.
    func suspend() { MHD_suspend_connection(handle.pointer) }

    /// Called from any thread, once for each `suspend`, under the lock of the object that holds it suspended. The
    /// connection may be gone as soon as this returns.
    func resume() { MHD_resume_connection(handle.pointer) }
}

// MARK: What other threads do to the socket

extension Connection {
    /// Ends the connection both ways; its worker notices and closes it.
    func shutDown() {
        state.withLock {
            if $0.isOpen { microhttpd_shut_down(descriptor) }
        }
    }

    /// Like `shutDown`, but what the client has not taken is thrown away instead of kept by the kernel for minutes.
    func abort() {
        state.withLock {
            guard $0.isOpen else { return }
            microhttpd_reset_on_close(descriptor)
            microhttpd_shut_down(descriptor)
        }
    }

    /// Sends a last answer past the daemon, which cannot answer before a request is complete; the connection must end
    /// then. Only while a request is arriving, when the daemon has nothing to send. Nothing on an encrypted connection,
    /// nor a second time.
    /// - Returns: true if it was sent.
    func answerEarly(_ bytes: [UInt8]) -> Bool {
        state.withLock {
            guard $0.isOpen, !isEncrypted, !$0.isAnsweredEarly else { return false }
            $0.isAnsweredEarly = true
            bytes.withUnsafeBytes { microhttpd_send_now(descriptor, $0.baseAddress, $0.count) }
            return true
        }
    }

    /// One look at the deadlines, from the watch's thread; arms the poll for a client that left if somebody waits. That
    /// a request is late, and its refusal, are noted in one step: the worker may come before the watch answers.
    func inspect(_ now: ContinuousClock.Instant, poll: Int32) -> Findings {
        state.withLock {
            var findings = Findings(verdict: $0.deadline.check(now))
            if findings.verdict == .answerTimedOut { $0.refusal = .requestTimedOut }
            if findings.verdict == .inTime, Self.hasEnded(&$0, descriptor) { findings.verdict = .close }
            guard $0.isOpen, let waiter = $0.waiter else { return findings }
            if case .exchange(let exchange) = waiter { findings.waiting = exchange }
            if !$0.isArmed { $0.isArmed = microhttpd_poll_hang_up(poll, descriptor, identity) == 0 }
            return findings
        }
    }

    /// Returns true, once, if the connection rests after an answer and its client has ended its side.
    private static func hasEnded(_ state: inout State, _ descriptor: Int32) -> Bool {
        guard state.isOpen, state.end != .none else { return false }
        defer { state.end = state.end == .due ? .next : .none }
        guard state.end == .next, state.deadline.phase == .idle, microhttpd_has_ended(descriptor) != 0 else {
            return false
        }
        return state.deadline.closeResting()
    }

    /// The poll reported, and forgot, that the client left.
    func clientLeft() -> Waiter? {
        state.withLock {
            $0.isArmed = false
            return $0.waiter
        }
    }

    func limitSendBuffer(bytes: Int) {
        microhttpd_limit_send_buffer(descriptor, Int32(clamping: bytes))
    }
}

extension Connection {
    /// The daemon's connection. Sendable because it is only used on its worker, or to resume it while it is suspended.
    private struct Handle: @unchecked Sendable {
        let pointer: OpaquePointer?
    }
}

/// The address without its port, as numbers; empty for other families than IP.
private func numericAddress(_ address: UnsafePointer<sockaddr>?) -> String {
    guard let address else { return "" }
    let length =
        address.pointee.sa_family == AF_INET6 ? MemoryLayout<sockaddr_in6>.size : MemoryLayout<sockaddr_in>.size
    var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
    guard getnameinfo(address, socklen_t(length), &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST) == 0 else {
        return ""
    }
    let name = String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    // What an IPv4 client looks like to a socket that listens for both.
    return name.hasPrefix("::ffff:") && name.contains(".") ? String(name.dropFirst(7)) : name
}
