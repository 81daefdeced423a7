import Synchronization
import Waiting

#if canImport(Glibc)
    import Glibc
#endif

/// The workers of one server, and the choice of a worker for a connection.
///
/// Daemons of one thread each instead of libmicrohttpd's own pool: we choose the worker, and the pool's way to stop
/// accepting can abort the process (see DESIGN.md).
///
/// A daemon keeps the certificate of its start. With another one a new generation of daemons takes new connections; an
/// older one ends after its last connection.
final class DaemonPool: Sendable {
    /// The connections that keep another worker busy. Few connections share few workers, which then find several ready
    /// at a time; many are spread over all, so that waking a held one walks few others.
    private static let connectionsPerWorker = 64

    /// The most generations that end at the same time: each has its threads.
    private static let endingMaximum = 4

    private struct Generation: Sendable {
        let daemons: [Daemon]
        /// Kept for the daemons, which read it while they run.
        let tls: TLSMaterial?

        var isIdle: Bool { daemons.allSatisfy { $0.worker.assigned.load(ordering: .sequentiallyConsistent) == 0 } }

        func stop() {
            withExtendedLifetime(tls) {
                for daemon in daemons { daemon.stop() }
            }
        }
    }

    private struct State {
        var current: Generation
        var ending: [Generation] = []
        var isStopped = false
        /// The files as they were when they were last read, whether or not they were any good.
        var stamp: TLSMaterial.Stamp?
    }

    private let core: ServerCore
    private let processors: Int
    private let state: Mutex<State>

    /// Reads the certificate and starts the threads. Throws `HTTPServerError`.
    init(core: ServerCore) throws(HTTPServerError) {
        self.core = core
        processors = Processors.count
        // Noted before they are read: what changes in between is seen as a change.
        let stamp = core.configuration.tls.map(TLSMaterial.Stamp.init)
        let tls = try core.configuration.tls.map { (tls) throws(HTTPServerError) in try TLSMaterial(tls) }
        state = Mutex(State(current: try Self.generation(core, tls), stamp: stamp))
    }

    /// The number of generations that are left for those who are connected to them.
    var endingCount: Int { state.withLock { $0.ending.count } }

    /// Hands an accepted socket to the worker with the fewest among as many as the number of connections needs. Only
    /// from the thread that accepts. False when the worker could not take it, and closed it.
    func add(_ descriptor: Int32, _ address: UnsafePointer<sockaddr_storage>, _ length: socklen_t) -> Bool {
        // Under the lock, as nothing may be added to a generation that ends.
        state.withLock { state in
            let daemons = state.current.daemons
            let loads = daemons.map { $0.worker.assigned.load(ordering: .relaxed) }
            let active = max(processors, 1 + loads.reduce(0, +) / Self.connectionsPerWorker)
            let index = loads.prefix(active).enumerated().min { $0.element < $1.element }?.offset ?? 0
            return daemons[index].add(descriptor, address, length)
        }
    }

    /// Reads the certificate again where its files have changed, and ends the generations that nobody is connected to:
    /// blocks.
    /// - Returns: true if connections from now on get another certificate.
    /// - Throws: `HTTPServerError` where the changed files are no good, once for each change; the old ones stay in use.
    func renew() throws(HTTPServerError) -> Bool {
        for generation in takeIdle() { generation.stop() }
        guard let files = core.configuration.tls else { return false }
        let stamp = TLSMaterial.Stamp(files)
        let old: TLSMaterial? = state.withLock { state in
            guard !state.isStopped, stamp != state.stamp, state.ending.count < Self.endingMaximum else { return nil }
            state.stamp = stamp
            return state.current.tls
        }
        guard let old else { return false }
        let tls = try TLSMaterial(files)
        guard !tls.isSame(as: old) else { return false }
        let generation = try Self.generation(core, tls)
        let isTaken = state.withLock { state in
            guard !state.isStopped else { return false }
            state.ending.append(state.current)
            state.current = generation
            return true
        }
        if !isTaken { generation.stop() }
        return isTaken
    }

    /// Stops all workers: blocks. See `Daemon.stop`.
    func stop() {
        let all = state.withLock { state in
            state.isStopped = true
            defer { state.ending = [] }
            return state.ending + [state.current]
        }
        for generation in all { generation.stop() }
    }

    /// The generations without a connection, which are the caller's to stop.
    private func takeIdle() -> [Generation] {
        state.withLock { state in
            guard !state.isStopped else { return [] }
            // Asked once: one that becomes idle in between is left for the next time.
            let (idle, busy) = state.ending.reduce(into: ([Generation](), [Generation]())) { parts, generation in
                if generation.isIdle { parts.0.append(generation) } else { parts.1.append(generation) }
            }
            state.ending = busy
            return idle
        }
    }

    /// Starts the threads.
    private static func generation(_ core: ServerCore, _ tls: TLSMaterial?) throws(HTTPServerError) -> Generation {
        var daemons: [Daemon] = []
        for _ in 0..<core.configuration.workers {
            guard let daemon = Daemon(core: core, tls: tls) else {
                Generation(daemons: daemons, tls: tls).stop()
                throw startError(isEncrypted: tls != nil)
            }
            daemons.append(daemon)
        }
        return Generation(daemons: daemons, tls: tls)
    }

    private static func startError(isEncrypted: Bool) -> HTTPServerError {
        isEncrypted
            ? HTTPServerError(
                .certificate,
                "Cannot start the HTTPS server: the certificate and the key were read but not accepted. Check that both "
                    + "are PEM, that the key has no password and that it belongs to the first certificate.")
            : HTTPServerError(
                .resources,
                "Cannot start the HTTP server's threads. Check the limits of open files and processes (ulimit -n, -u).")
    }
}
