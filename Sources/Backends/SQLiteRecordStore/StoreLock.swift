import RecordStore
import Synchronization

#if canImport(Glibc)
    import Glibc
#endif

/// The lock that makes one process the owner of a store; it ends with the process, however that ends.
final class StoreLock: Sendable {
    private let descriptor: Atomic<Int32>

    init(path: String) throws {
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0, flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            if descriptor >= 0 { close(descriptor) }
            throw StoreError.owned(
                "another record-service owns the store (\(path) is locked); a store has exactly one: stop that one first"
            )
        }
        self.descriptor = Atomic(descriptor)
    }

    /// Returns true if a process owns the store.
    static func isHeld(path: String) -> Bool {
        let descriptor = open(path, O_RDWR | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        return flock(descriptor, LOCK_EX | LOCK_NB) != 0
    }

    func release() {
        let descriptor = descriptor.exchange(-1, ordering: .relaxed)
        if descriptor >= 0 { close(descriptor) }
    }

    deinit { release() }
}
