import Waiting

#if canImport(Glibc)
    import Glibc
#endif

/// A ring's file, looked at now and then.
final class KeyRingSource: Sendable {
    /// The properties that distinguish one state of a file from another: it is replaced as a whole, by another file.
    struct Mark: Equatable {
        var file: UInt64
        var bytes: Int64
        var seconds: Int
        var nanoseconds: Int
    }

    private struct State: Sendable {
        var content: KeyRing.Content
        var mark: Mark?
    }

    private let path: String
    private let state: BusyMutex<State>

    init(path: String) throws(KeyRingError) {
        self.path = path
        // The mark is taken first: what changes between is looked at again.
        let mark = Self.mark(path)
        let content = try KeyRing.load(file: path).content
        state = BusyMutex(State(content: content, mark: mark))
    }

    var content: KeyRing.Content { state.withLock { $0.content } }

    /// Reads the file if it is another one than before. What cannot be read leaves the ring as it was.
    /// - Returns: whether the ring has changed.
    func refresh() throws(KeyRingError) -> Bool {
        let mark = Self.mark(path)
        guard mark != state.withLock({ $0.mark }) else { return false }
        // Said once for each state of the file.
        state.withLock { $0.mark = mark }
        let new = try KeyRing.load(file: path).content
        // A new key has the one before it beside it.
        guard new.identifierKeys.contains(content.identifierKeys[0]) else { throw .otherIdentifiers(file: path) }
        return state.withLock { state in
            defer { state.content = new }
            return state.content != new
        }
    }

    private static func mark(_ path: String) -> Mark? {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        let time = status.st_mtim
        return Mark(
            file: UInt64(status.st_ino), bytes: Int64(status.st_size), seconds: time.tv_sec, nanoseconds: time.tv_nsec)
    }
}
