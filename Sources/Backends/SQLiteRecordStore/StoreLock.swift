import FileSystem
import RecordStore
import Synchronization

#if canImport(Glibc)
    import Glibc
#endif

/// The lock that makes one process the owner of a store; it ends with the process, however that ends.
final class StoreLock: Sendable {
    private let file: Mutex<LockedFile?>

    init(path: String) throws(StoreError) {
        do throws(LockedFile.Failure) {
            file = Mutex(try LockedFile(path, O_RDWR | O_CREAT))
        } catch {
            switch error {
            case .held:
                throw .owned(
                    "another record-service owns the store (\(path) is locked); a store has exactly one: stop that "
                        + "one first")
            case .unusable(let error): throw .failed("\(error)")
            }
        }
    }

    /// Returns true if a process owns the store.
    static func isHeld(path: String) -> Bool {
        do throws(LockedFile.Failure) {
            _ = try LockedFile(path, O_RDWR)
            return false
        } catch {
            if case .held = error { return true }
            return false
        }
    }

    func release() { file.withLock { $0 = nil } }
}
