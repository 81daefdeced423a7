import Dispatch
import Telemetry

#if canImport(Glibc)
    import Glibc
#endif

/// Waits for SIGTERM or SIGINT.
enum Signals {
    /// Returns when one of the two arrives, or when the task is cancelled.
    static func waitForEnd() async {
        let stream = AsyncStream<Int32> { continuation in
            for number in [SIGTERM, SIGINT] {
                signal(number, SIG_IGN)
                let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
                // The handler holds its source, which so lives as long as the process and goes on taking signals.
                source.setEventHandler { withExtendedLifetime(source) { _ = continuation.yield(number) } }
                source.resume()
            }
        }
        for await _ in stream { return }
    }

    /// Ends the process after a time, whatever it still waits for.
    static func end(within limit: Duration) {
        DispatchQueue.global().asyncAfter(deadline: .now() + limit / .seconds(1)) {
            Log.error("process.end.forced", ["seconds": Int(limit / .seconds(1))])
            _exit(ExitCode.failed)
        }
    }
}
