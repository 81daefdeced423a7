import Dispatch
import Synchronization

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Waits for SIGTERM or SIGINT.
enum Signals {
    /// Sources live as long as the process: a second signal must find a handler too, not the default one.
    private static let sources = Mutex<[Source]>([])

    /// A source is thread-safe by Dispatch's own word; only its protocol is not marked so.
    private struct Source: @unchecked Sendable {
        let source: any DispatchSourceSignal
        init(_ source: any DispatchSourceSignal) { self.source = source }
    }

    /// Returns when one of the two arrives, or when the task is cancelled.
    static func waitForEnd() async {
        let stream = AsyncStream<Int32> { continuation in
            for number in [SIGTERM, SIGINT] {
                signal(number, SIG_IGN)
                let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
                source.setEventHandler { continuation.yield(number) }
                source.resume()
                sources.withLock { $0.append(Source(source)) }
            }
        }
        for await _ in stream { return }
    }
}
