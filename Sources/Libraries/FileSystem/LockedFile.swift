#if canImport(Glibc)
    import Glibc
#endif

/// An open file with a lock that one process has at a time. The lock ends with the last reference, and with the
/// process, however that ends.
package final class LockedFile: Sendable {
    /// The reasons why there is no lock.
    package enum Failure: Error {
        /// Another process has the lock.
        case held
        /// The file cannot be opened.
        case unusable(FileError)
    }

    package let descriptor: Int32

    /// Opens a file and takes its lock, without waiting for it. A file that is made is readable by its owner only.
    /// - Parameter flags: those of `open`.
    package init(_ path: String, _ flags: Int32) throws(Failure) {
        let descriptor = open(path, flags | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .unusable(FileError("open", path)) }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            close(descriptor)
            throw .held
        }
        self.descriptor = descriptor
    }

    deinit {
        // A child that is being started has the descriptor until its program begins: closing alone would leave the
        // lock to it.
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }
}
