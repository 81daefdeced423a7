#if canImport(Glibc)
    import Glibc
#endif

/// A value that one thread at a time uses: for short work that many threads do often, such as counting requests.
///
/// `Mutex` hands itself over to the thread that waited first (`FUTEX_LOCK_PI`). Until the system gives that thread a
/// processor nobody has the lock, and every thread that comes waits behind it: with more busy threads than processors
/// one attacker's 17,000 requests a second made others wait for hundreds of milliseconds. A `BusyMutex` is the next
/// running thread's, and waiting threads do not spin.
package final class BusyMutex<Value: ~Copyable>: @unchecked Sendable {
    // Unchecked: the value is accessed under the lock only.
    private var value: Value
    private let lock: UnsafeMutablePointer<pthread_mutex_t>

    /// Guards a value.
    package init(_ value: consuming sending Value) {
        self.value = value
        lock = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
        pthread_mutex_init(lock, nil)
    }

    deinit {
        pthread_mutex_destroy(lock)
        lock.deallocate()
    }

    /// Uses the value, alone. Not recursive.
    package func withLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        pthread_mutex_lock(lock)
        defer { pthread_mutex_unlock(lock) }
        return try body(&value)
    }
}
