import CRDKafka
import Dispatch

/// A thread that is not of Swift's cooperative pool, for calls that block.
enum OwnThread {
    /// Runs `body` on a detached thread, whose name debuggers and `top -H` show (the first 15 bytes of it).
    static func start(named name: String, _ body: @escaping @Sendable () -> Void) {
        let work = Unmanaged.passRetained(Work(name: name, body: body)).toOpaque()
        let failure = crdkafka_start_thread(
            { argument in
                let work = Unmanaged<Work>.fromOpaque(argument!).takeRetainedValue()
                crdkafka_name_thread(work.name)
                work.body()
                return nil
            }, work)
        precondition(failure == 0, "no thread for \(name): errno \(failure); raise the limit of processes")
    }

    /// Lets the calling thread, which must be one of ours, wait before it tries something again.
    static func pause(milliseconds: Int) {
        _ = DispatchSemaphore(value: 0).wait(timeout: .now() + .milliseconds(milliseconds))
    }

    private final class Work: Sendable {
        let name: String
        let body: @Sendable () -> Void

        init(name: String, body: @escaping @Sendable () -> Void) {
            self.name = name
            self.body = body
        }
    }
}
