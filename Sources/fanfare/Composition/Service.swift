import Console
import HTTPServer
import Stages
import Synchronization
import Telemetry
import Waiting
import WebAPI

/// The frame of every long-running role: an internal port, work in the background, and an end in order.
struct Service {
    /// The time in which a process ends. The next one continues unfinished work, as after a kill: nothing that was
    /// answered is lost by it.
    private static let endDeadline = Duration.seconds(9)
    /// The part of it that closing leaves: each wait on the way has a bound of its own, and beside brokers that hang
    /// all of them can come together.
    private static let endReserve = Duration.seconds(2)

    /// Runs `work` with an internal port beside it until SIGTERM or SIGINT; then cancels it, waits for its end, and
    /// closes its resources.
    /// - Parameters:
    ///     - refusals: returns the current obstacles of the role.
    ///     - readiness: says whether the process can work, to others than the internal port.
    ///     - closing: closes the resources of `work`; it is awaited as long as the process has time to end.
    ///     - work: ends on cancellation; calls its argument once it is ready.
    static func run(
        _ configuration: Configuration, _ name: StaticString, refusals: @escaping @Sendable () -> [String] = { [] },
        readiness: Readiness = Readiness(),
        closing: @escaping @Sendable () async -> Void,
        _ work: @escaping @Sendable (_ isReady: @escaping @Sendable (Bool) -> Void) async throws -> Void
    ) async throws {
        ProcessMetrics.register(version: Build.version)
        let port = InternalPort(configuration)
        let traces = TraceExporter(configuration.tracing, service: "fanfare-\(name)")
        let internalServer = try await HTTPServer.start(
            server(port.address, port.hosts),
            handler: InternalAPI(
                obstacles: { readiness.obstacles + refusals() },
                stages: { StageReport.all(StageBoard.shared.statuses) }, token: port.token))
        if port.isExposed { Log.warning("internal.open", ["port": internalServer.port]) }
        Log.info(name, ["state": "starting", "version": Build.version, "internalPort": internalServer.port])
        let end = End()
        let stop = {
            let deadline = (end.signalTime ?? .now) + endDeadline - endReserve
            let answer = Answer<Void>()
            // Resources that are not closed by then end with the process.
            Task {
                await internalServer.stop(grace: .seconds(1))
                // A slow collector takes no time from the stores and the log.
                async let exported: Void? = traces?.close()
                await closing()
                await exported
                answer.give(())
            }
            await answer.value(within: max(.zero, deadline - .now)) {}
            Log.info(name, ["state": "ended"])
        }
        do {
            try await Task.closing(stop) {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    defer { group.cancelAll() }
                    group.addTask { try await work { readiness.set($0) } }
                    if let traces { group.addTask { await traces.run() } }
                    group.addTask {
                        await Signals.waitForEnd()
                        // Not when the work has ended by itself: then the task is cancelled.
                        guard !Task.isCancelled else { return }
                        end.noteSignal()
                        Signals.end(within: endDeadline)
                    }
                    try await group.next()
                    readiness.set(false)
                }
            }
        } catch is CancellationError {}
    }

    /// A server's configuration with what all ports share.
    static func server(_ address: Address, _ hosts: HostNames) -> HTTPServerConfiguration {
        var configuration = HTTPServerConfiguration()
        configuration.hosts = hosts
        configuration.serverName = "fanfare/\(Build.version)"
        configuration.host = address.host
        configuration.port = address.port
        configuration.log = { event in
            switch event.severity {
            case .debug: Log.debug("http", ["event": event.message])
            case .warning: Log.warning("http", ["event": event.message])
            case .error: Log.error("http", ["event": event.message])
            }
        }
        return configuration
    }

    /// The time of the signal.
    private final class End: Sendable {
        private let time = Mutex<ContinuousClock.Instant?>(nil)
        var signalTime: ContinuousClock.Instant? { time.withLock(\.self) }
        func noteSignal() { time.withLock { $0 = .now } }
    }

    final class Readiness: Sendable {
        private let state = Atomic(false)
        var isReady: Bool { state.load(ordering: .relaxed) }
        func set(_ isReady: Bool) { state.store(isReady, ordering: .relaxed) }

        /// The role's own word, then that of its stages.
        var obstacles: [String] {
            guard isReady else { return ["it is starting or ending"] }
            return StageBoard.shared.statuses.isEmpty ? ["no stage has begun"] : StageBoard.shared.obstacles
        }
    }
}
