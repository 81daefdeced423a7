import Synchronization

#if canImport(Glibc)
    import Glibc
#endif

/// The workers of one server, and who of them gets a connection.
///
/// Daemons of one thread each instead of libmicrohttpd's own pool: we choose the worker, and the pool's way to stop
/// accepting can abort the process (see DESIGN.md).
struct DaemonPool: Sendable {
    /// As many connections as keep another worker busy. Few connections share few workers, which then find several ready
    /// at a time; many are spread over all, so that waking one that is held walks few others.
    private static let connectionsPerWorker = 64

    private let daemons: [Daemon]
    private let tls: TLSMaterial?
    private let processors: Int

    /// Reads the certificate and starts the threads. Throws `HTTPServerError`.
    init(core: ServerCore) throws(HTTPServerError) {
        tls = try core.configuration.tls.map { (tls) throws(HTTPServerError) in try TLSMaterial(tls) }
        processors = max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))
        var daemons: [Daemon] = []
        for _ in 0..<core.configuration.workers {
            guard let daemon = Daemon(core: core, tls: tls) else {
                for daemon in daemons { daemon.stop() }
                tls?.deallocate()
                throw Self.startError(isEncrypted: tls != nil)
            }
            daemons.append(daemon)
        }
        self.daemons = daemons
    }

    /// Hands an accepted socket to the worker with the fewest among as many as the number of connections needs. Only
    /// from the thread that accepts. False when the worker could not take it, and closed it.
    func add(_ descriptor: Int32, _ address: UnsafePointer<sockaddr_storage>, _ length: socklen_t) -> Bool {
        let loads = daemons.map { $0.worker.assigned.load(ordering: .relaxed) }
        let active = max(processors, 1 + loads.reduce(0, +) / Self.connectionsPerWorker)
        let index = loads.prefix(active).enumerated().min { $0.element < $1.element }?.offset ?? 0
        return daemons[index].add(descriptor, address, length)
    }

    /// Stops all workers: blocks. See `Daemon.stop`.
    func stop() {
        for daemon in daemons { daemon.stop() }
        tls?.deallocate()
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
