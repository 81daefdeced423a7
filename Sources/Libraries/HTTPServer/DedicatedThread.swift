#if canImport(Glibc)
    import Glibc
#endif

/// A thread for calls that block, which Swift's own pool must not make.
struct DedicatedThread: Sendable {
    private let handle: pthread_t

    /// Starts `body` on a thread of its own, without the signals that the process handles elsewhere.
    init(_ body: @escaping @Sendable () -> Void) {
        let context = Unmanaged.passRetained(Body(body)).toOpaque()
        var all = sigset_t()
        var before = sigset_t()
        sigfillset(&all)
        pthread_sigmask(SIG_BLOCK, &all, &before)
        var thread = pthread_t()
        let code = pthread_create(&thread, nil, runBody, context)
        pthread_sigmask(SIG_SETMASK, &before, nil)
        precondition(code == 0, "could not start a thread: \(String(cString: strerror(code)))")
        handle = thread
    }

    /// Waits for its end. Once, and not from Swift's pool.
    func join() { pthread_join(handle, nil) }

    /// Starts `body` on a thread that nobody waits for.
    static func start(_ body: @escaping @Sendable () -> Void) { pthread_detach(DedicatedThread(body).handle) }

    /// Runs blocking work on a thread of its own and returns what it returns.
    static func run<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            start { continuation.resume(with: Result { try work() }) }
        }
    }
}

private final class Body: Sendable {
    let run: @Sendable () -> Void

    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
}

private func runBody(context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let context else { return nil }
    Unmanaged<Body>.fromOpaque(context).takeRetainedValue().run()
    return nil
}
