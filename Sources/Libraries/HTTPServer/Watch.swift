import CMicroHTTPD
import Synchronization

#if canImport(Glibc)
    import Glibc
#endif

/// The server's one thread of its own: accepts connections, notices clients that leave while their answer is held,
/// checks deadlines, and reads the bytes after a refusal until the client has seen it.
final class Watch: Sendable {
    /// Identities in the poll: the listener, the wake-up, then connections, then lingering sockets by descriptor.
    private static let listener: UInt64 = 0
    private static let wakeUp: UInt64 = 1
    static let firstConnection: UInt64 = 2
    private static let firstLingering: UInt64 = 1 << 63

    private static let tick: Duration = .milliseconds(250)
    private static let lingerTime: Duration = .seconds(2)
    private static let lingerBytesMaximum = 16 << 20
    private static let lingeringMaximum = 256

    private struct Inbox {
        var lingering: [Int32] = []
        var stopsAccepting = false
        var ends = false
    }

    private struct Lingering {
        var until: ContinuousClock.Instant
        var bytesLeft: Int
    }

    /// The state that only the thread touches.
    private struct Loop {
        var listener: Int32?
        var isAccepting = true
        var lingering: [Int32: Lingering] = [:]
        var refused = 0
        /// The last time that connections were closed to make room.
        var madeRoom: ContinuousClock.Instant?
        /// The number of connections that came since.
        var arrived = 0
        /// True after the operator was notified that no connection can be accepted.
        var isStarved = false
        var lastTick = ContinuousClock.now
        var lastReport: ContinuousClock.Instant?
    }

    private let poll: Int32
    private let wake: Int32
    private let drain: Int32
    private let inbox = Mutex(Inbox())

    init() throws(HTTPServerError) {
        poll = microhttpd_poll_create()
        wake = microhttpd_wake_create()
        drain = microhttpd_wake_create()
        guard poll >= 0, wake >= 0, drain >= 0, microhttpd_poll_readable(poll, wake, Self.wakeUp) == 0 else {
            throw HTTPServerError(
                .resources, "Cannot start the HTTP server: \(String(cString: strerror(errno))). Raise ulimit -n.")
        }
    }

    deinit {
        for descriptor in [poll, wake, drain] where descriptor >= 0 { close(descriptor) }
    }
}

// MARK: From other threads

extension Watch {
    /// Takes a socket whose answer is sent, to close it when the client has read it.
    func linger(_ descriptor: Int32) { post { $0.lingering.append(descriptor) } }

    /// Closes the listening socket; clients are refused from then on.
    func stopAccepting() { post { $0.stopsAccepting = true } }

    /// Ends the thread, which is still to be joined.
    func end() { post { $0.ends = true } }

    /// Closes the connections that came after the thread ended.
    func closeLingering() {
        inbox.withLock { inbox in
            for descriptor in inbox.lingering { close(descriptor) }
            inbox.lingering = []
        }
    }

    /// No request is left.
    func drained() { signal(drain) }

    /// Waits until `drained` or a moment; blocks.
    func waitUntilDrained(_ deadline: ContinuousClock.Instant) {
        let left = deadline - ContinuousClock.now
        let milliseconds = left.components.seconds * 1000 + left.components.attoseconds / 1_000_000_000_000_000
        var descriptor = pollfd(fd: drain, events: Int16(POLLIN), revents: 0)
        _ = Glibc.poll(&descriptor, 1, Int32(clamping: max(0, milliseconds)))
        forget(drain)
    }

    private func post(_ change: (inout Inbox) -> Void) {
        inbox.withLock { change(&$0) }
        signal(wake)
    }

    private func signal(_ descriptor: Int32) {
        var one: UInt64 = 1
        _ = write(descriptor, &one, 8)
    }

    private func forget(_ descriptor: Int32) {
        var value: UInt64 = 0
        _ = read(descriptor, &value, 8)
    }
}

// MARK: The thread

extension Watch {
    /// The body of the thread; owns the listener. Returns after `end`.
    func run(core: ServerCore, daemons: DaemonPool, listener: Int32) {
        var loop = Loop(listener: listener)
        _ = microhttpd_poll_readable(poll, listener, Self.listener)
        var ready = [UInt64](repeating: 0, count: 256)
        while true {
            let count = microhttpd_poll_wait(poll, &ready, Int32(ready.count), 250)
            for identity in ready.prefix(Int(max(0, count))) {
                switch identity {
                case Self.listener: accept(&loop, core, daemons)
                case Self.wakeUp: forget(wake)
                case Self.firstLingering...: readOn(Int32(identity - Self.firstLingering), &loop)
                default: core.clientLeft(identity)
                }
            }
            if takeInbox(&loop) { break }
            if ContinuousClock.now - loop.lastTick >= Self.tick { tick(&loop, core) }
        }
        closeListener(&loop)
        for descriptor in loop.lingering.keys { close(descriptor) }
    }

    /// True when the thread is to end.
    private func takeInbox(_ loop: inout Loop) -> Bool {
        let mail = inbox.withLock { inbox in
            defer { inbox.lingering = [] }
            return inbox
        }
        for descriptor in mail.lingering {
            let entry = Lingering(until: .now + Self.lingerTime, bytesLeft: Self.lingerBytesMaximum)
            if loop.lingering.count < Self.lingeringMaximum,
                microhttpd_poll_readable(poll, descriptor, Self.firstLingering + UInt64(descriptor)) == 0
            {
                loop.lingering[descriptor] = entry
            } else {
                close(descriptor)
            }
        }
        if mail.stopsAccepting { closeListener(&loop) }
        return mail.ends
    }

    private func tick(_ loop: inout Loop, _ core: ServerCore) {
        loop.lastTick = .now
        core.inspectConnections(poll: poll)
        for (descriptor, entry) in loop.lingering where entry.until <= loop.lastTick {
            loop.lingering[descriptor] = nil
            // A client that went on sending into a full window would otherwise not learn of the end for minutes.
            microhttpd_reset_on_close(descriptor)
            close(descriptor)
        }
        reportRefused(&loop, core)
        if let listener = loop.listener, !loop.isAccepting {
            loop.isAccepting = microhttpd_poll_readable(poll, listener, Self.listener) == 0
        }
    }

    /// Reports, at most every ten seconds, what an overload does many times a second.
    private func reportRefused(_ loop: inout Loop, _ core: ServerCore) {
        guard loop.refused > 0, loop.lastReport.map({ loop.lastTick - $0 >= .seconds(10) }) ?? true else { return }
        core.log(
            .warning,
            "\(loop.refused) connections were closed at once, as \(core.configuration.connectionsMaximum) are open or "
                + "\(core.configuration.connectionsPerAddress) of their address. Raise the maximum or add a server.")
        loop.refused = 0
        loop.lastReport = loop.lastTick
    }

    private func accept(_ loop: inout Loop, _ core: ServerCore, _ daemons: DaemonPool) {
        guard let listener = loop.listener else { return }
        let maximum = core.configuration.connectionsMaximum + core.configuration.connectionsReserve
        for _ in 0..<64 {
            var address = sockaddr_storage()
            var length = socklen_t()
            let descriptor = microhttpd_accept(listener, &address, &length)
            guard descriptor >= 0 else {
                if [EMFILE, ENFILE, ENOMEM, ENOBUFS].contains(errno) { pauseAccepting(&loop, core, errno) }
                return
            }
            loop.isStarved = false
            loop.arrived += 1
            makeRoom(&loop, core)
            if core.counts.connections < maximum, core.enters(&address) {
                if !daemons.add(descriptor, &address, length) { core.leaves(&address) }
            } else {
                loop.refused += 1
                close(descriptor)
            }
        }
    }

    /// Closes some resting connections before all are in use: as many at a time as make the walk over all worth it.
    private func makeRoom(_ loop: inout Loop, _ core: ServerCore) {
        let configuration = core.configuration
        let headroom = configuration.connectionsHeadroom
        guard headroom > 0, core.counts.connections >= configuration.connectionsMaximum - headroom,
            loop.arrived >= headroom / 2
                || loop.madeRoom.map({ ContinuousClock.now - $0 >= .milliseconds(50) }) ?? true
        else { return }
        loop.madeRoom = .now
        loop.arrived = 0
        _ = core.closeResting(headroom)
    }

    /// Until the next tick, as the listener would report without end.
    private func pauseAccepting(_ loop: inout Loop, _ core: ServerCore, _ code: Int32) {
        if let listener = loop.listener { _ = microhttpd_poll_remove(poll, listener) }
        loop.isAccepting = false
        if loop.isStarved { return }
        loop.isStarved = true
        core.log(
            .warning,
            "Cannot accept a connection: \(String(cString: strerror(code))). Raise the limit of open files (ulimit -n)."
        )
    }

    private func closeListener(_ loop: inout Loop) {
        guard let listener = loop.listener.take() else { return }
        close(listener)
    }

    private func readOn(_ descriptor: Int32, _ loop: inout Loop) {
        guard var entry = loop.lingering[descriptor] else { return }
        let count = microhttpd_receive_nothing(descriptor)
        if count < 0 && (errno == EAGAIN || errno == EINTR) { return }
        entry.bytesLeft -= max(0, count)
        if count <= 0 || entry.bytesLeft < 0 {
            loop.lingering[descriptor] = nil
            if count > 0 { microhttpd_reset_on_close(descriptor) }
            close(descriptor)
        } else {
            loop.lingering[descriptor] = entry
        }
    }
}
