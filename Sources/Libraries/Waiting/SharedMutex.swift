#if canImport(Glibc)
    import Glibc
#endif

/// A value that many look at at the same time, and one changes while nobody looks. Who wants to change it waits for those
/// who look at it already, and lets none in before; so neither side waits for ever.
///
/// Not recursive, and both wait with their thread: never from Swift's pool, when a look may take long.
package final class SharedMutex<Value: ~Copyable>: @unchecked Sendable {
    // Unchecked: the value is touched under the lock alone, and changed by who has it to himself.
    private var value: Value
    private let lock: UnsafeMutablePointer<pthread_rwlock_t>

    /// Guards a value.
    package init(_ value: consuming sending Value) {
        self.value = value
        lock = UnsafeMutablePointer<pthread_rwlock_t>.allocate(capacity: 1)
        var attributes = pthread_rwlockattr_t()
        pthread_rwlockattr_init(&attributes)
        // PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP: glibc otherwise lets readers pass writers that wait.
        pthread_rwlockattr_setkind_np(&attributes, 2)
        pthread_rwlock_init(lock, &attributes)
        pthread_rwlockattr_destroy(&attributes)
    }

    deinit {
        pthread_rwlock_destroy(lock)
        lock.deallocate()
    }

    /// Looks at the value, beside others who do.
    package func withSharedLock<Result, Failure: Error>(
        _ body: (borrowing Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        pthread_rwlock_rdlock(lock)
        defer { pthread_rwlock_unlock(lock) }
        return try body(value)
    }

    /// Changes the value, alone.
    package func withLock<Result, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        pthread_rwlock_wrlock(lock)
        defer { pthread_rwlock_unlock(lock) }
        return try body(&value)
    }
}
