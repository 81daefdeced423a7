import Synchronization
import Waiting

/// An HTTP/1.1 server over libmicrohttpd: worker threads read requests and write answers, a held answer or a quiet
/// stream costs no thread. Runs until it is stopped, even without references.
package final class HTTPServer: Sendable {
    private enum Life {
        case running
        case stopping([CheckedContinuation<Void, Never>])
        case stopped
    }

    /// The port it listens on, also where the configuration left the choice to the system.
    package let port: Int

    private let core: ServerCore
    private let daemons: DaemonPool
    private let watchThread: DedicatedThread
    private let life = Mutex(Life.running)

    private init(_ configuration: HTTPServerConfiguration, _ handler: any HTTPHandler) throws {
        try configuration.validate()
        let watch = try Watch()
        let listener = try Listener(host: configuration.host, port: configuration.port)
        let core = ServerCore(configuration: configuration, handler: handler, watch: watch)
        let daemons: DaemonPool
        do {
            daemons = try DaemonPool(core: core)
        } catch {
            listener.close()
            throw error
        }
        self.core = core
        self.daemons = daemons
        port = listener.port
        let descriptor = listener.descriptor
        watchThread = DedicatedThread { watch.run(core: core, daemons: daemons, listener: descriptor) }
    }

    /// Binds, reads the certificate and starts the threads; requests may arrive before this returns.
    /// Throws `HTTPServerError`, whose text says what to do.
    package static func start(
        _ configuration: HTTPServerConfiguration, handler: any HTTPHandler
    ) async throws -> HTTPServer {
        try await DedicatedThread.run { try HTTPServer(configuration, handler) }
    }

    /// The numbers of connections, requests, awaited answers and streams that are open now.
    package var counts: HTTPServerCounts { core.counts }

    /// The number of older certificates that connections still have.
    var generationsEnding: Int { daemons.endingCount }

    /// Bytes of memory that bodies of requests have now.
    package var bodyBytesReserved: Int { core.bodies.usedBytes }

    /// Reads the certificate and its key again if their files have changed. Open connections keep the old one until
    /// they end. Call it periodically, such as every second.
    /// - Returns: true if new connections get another certificate.
    /// - Throws: `HTTPServerError` if the changed files are invalid, once for each change; the old ones stay in use.
    package func renewCertificate() async throws -> Bool {
        try await DedicatedThread.run { [daemons] in try daemons.renew() }
    }

    /// Ends the server: no connection is accepted and no request begun, held answers are answered
    /// `HTTPRefusal.stopping`, streams finished; running requests have `grace` to end, then their work is cancelled.
    /// Returns when all is closed; calling it again waits for the same end.
    package func stop(grace: Duration = .seconds(10)) async {
        await withCheckedContinuation { continuation in
            let isFirst: Bool? = life.withLock { life in
                switch life {
                case .running:
                    life = .stopping([continuation])
                    return true
                case .stopping(let others):
                    life = .stopping(others + [continuation])
                    return false
                case .stopped: return nil
                }
            }
            switch isFirst {
            case true?: DedicatedThread.start { [self] in stopBlocking(grace: grace) }
            case false?: break
            case nil: continuation.resume()
            }
        }
    }

    private func stopBlocking(grace: Duration) {
        let watch = core.watch
        watch.stopAccepting()
        core.beginStopping()
        waitUntilDrained(.now + grace)
        core.abandon()
        waitUntilDrained(.now + .seconds(1))
        // First the watch, as adding a connection to a daemon that has stopped aborts the process.
        watch.end()
        watchThread.join()
        daemons.stop()
        watch.closeLingering()
        let waiting = life.withLock { life in
            defer { life = .stopped }
            if case .stopping(let continuations) = life { return continuations }
            return []
        }
        for continuation in waiting { continuation.resume() }
    }

    private func waitUntilDrained(_ deadline: ContinuousClock.Instant) {
        while core.hasRequests && ContinuousClock.now < deadline {
            core.watch.waitUntilDrained(deadline)
        }
    }
}
