#if canImport(Glibc)
    import Glibc
#endif

/// A thread for calls that block or take long, which Swift's own pool must not make.
///
/// It takes none of the process's signals. One that is not started detached is joined or detached, once.
package struct DedicatedThread: Sendable {
    private let handle: pthread_t

    /// Starts `body` on a thread of its own.
    /// - Parameters:
    ///   - name: its name in debuggers and `top -H`, which show the first 15 bytes; nil leaves the process's name.
    ///   - stackBytes: the size of its stack; nil for the system's default.
    package init(named name: String? = nil, stackBytes: Int? = nil, _ body: @escaping @Sendable () -> Void) {
        let context = Unmanaged.passRetained(Work(name: name, body: body)).toOpaque()
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        if let stackBytes { pthread_attr_setstacksize(&attributes, stackBytes) }
        var all = sigset_t()
        var before = sigset_t()
        sigfillset(&all)
        pthread_sigmask(SIG_BLOCK, &all, &before)
        var thread = pthread_t()
        let code = pthread_create(&thread, &attributes, runWork, context)
        pthread_sigmask(SIG_SETMASK, &before, nil)
        pthread_attr_destroy(&attributes)
        precondition(code == 0, "no thread for \(name ?? "a call"): errno \(code); raise the limit of processes")
        handle = thread
    }

    /// Waits for its end. Not from Swift's pool.
    package func join() { pthread_join(handle, nil) }

    /// Says that nobody will wait for its end.
    package func detach() { pthread_detach(handle) }

    /// Starts `body` on a thread that nobody waits for.
    package static func start(
        named name: String? = nil, stackBytes: Int? = nil, _ body: @escaping @Sendable () -> Void
    ) {
        DedicatedThread(named: name, stackBytes: stackBytes, body).detach()
    }

    /// Runs blocking work on a thread of its own and returns what it returns.
    package static func run<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            start { continuation.resume(with: Result { try work() }) }
        }
    }

    /// Lets the calling thread give way to other threads of the machine. On Linux a priority is a thread's.
    package static func lowerPriority(to niceness: Int32) {
        #if canImport(Glibc)
            _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, niceness)
        #endif
    }

    /// Lets the calling thread, which must not be of Swift's pool, wait before it tries something again.
    package static func pause(milliseconds: Int) {
        var time = timespec(tv_sec: milliseconds / 1000, tv_nsec: milliseconds % 1000 * 1_000_000)
        nanosleep(&time, nil)
    }
}

/// The work of one thread.
private final class Work: Sendable {
    private let name: String?
    private let body: @Sendable () -> Void

    init(name: String?, body: @escaping @Sendable () -> Void) {
        self.name = name
        self.body = body
    }

    func run() {
        if let name { Self.nameCallingThread(name) }
        body()
    }

    /// Names the calling thread. glibc's own function is hidden from Swift; the kernel's file does the same.
    private static func nameCallingThread(_ name: String) {
        guard let file = fopen("/proc/thread-self/comm", "w") else { return }
        fputs(name, file)
        fclose(file)
    }
}

private func runWork(context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let context else { return nil }
    Unmanaged<Work>.fromOpaque(context).takeRetainedValue().run()
    return nil
}
