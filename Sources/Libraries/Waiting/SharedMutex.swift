#if canImport(Glibc)
    import Glibc
#endif

/// A value with many concurrent readers or one writer. A waiting writer lets no new readers in, so that neither side
/// starves.
///
/// Not recursive, and both block their thread: never call it from Swift's pool if a read may take long.
package final class SharedMutex<Value: ~Copyable>: @unchecked Sendable {
    // Unchecked: the value is accessed under the lock only, and changed by its one writer.
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
