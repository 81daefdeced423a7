import Dispatch
import Synchronization
import Telemetry

#if canImport(Glibc)
    import Glibc
#endif

/// SIGTERM and SIGINT.
enum Signals {
    private enum Effect {
        case end
        case wake(AsyncStream<Void>.Continuation)
    }

    private static let effect = Mutex(Effect.end)

    private static let installed: Void = {
        for number in [SIGTERM, SIGINT] {
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            // The handler holds its source, which so lives as long as the process and goes on taking signals.
            source.setEventHandler { withExtendedLifetime(source) { take() } }
            source.resume()
        }
    }()

    private static func take() {
        switch effect.withLock(\.self) {
        case .end: _exit(ExitCode.done)
        case .wake(let waiter): waiter.yield()
        }
    }

    /// From now on a signal ends the process in good order at once, until `waitForEnd` takes over. The first process of
    /// a container has no other way: Linux discards signals that it does not handle.
    static func endWhileStarting() { installed }

    /// Returns when one of the two arrives, or when the task is cancelled.
    static func waitForEnd() async {
        let (signals, waiter) = AsyncStream<Void>.makeStream()
        effect.withLock { $0 = .wake(waiter) }
        installed
        for await _ in signals { return }
    }

    /// Ends the process after a time, whatever it still waits for.
    static func end(within limit: Duration) {
        DispatchQueue.global().asyncAfter(deadline: .now() + limit / .seconds(1)) {
            Log.error("process.end.forced", ["seconds": Int(limit / .seconds(1))])
            _exit(ExitCode.failed)
        }
    }
}
