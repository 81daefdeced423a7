import Dispatch
import Synchronization

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Waits for SIGTERM or SIGINT.
enum Signals {
    /// Returns when one of the two arrives, or when the task is cancelled.
    static func waitForEnd() async {
        let stream = AsyncStream<Int32> { continuation in
            let sources = [SIGTERM, SIGINT].map { number in
                signal(number, SIG_IGN)
                let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
                source.setEventHandler { continuation.yield(number) }
                source.resume()
                return source
            }
            continuation.onTermination = { _ in for source in sources { source.cancel() } }
        }
        for await _ in stream { return }
    }
}
