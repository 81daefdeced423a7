#if canImport(Glibc)
    import Glibc
#endif

/// A file that is written piece by piece beside the one whose place it takes in the end. Readable by its owner only.
final class FileReplacement {
    private let path: String
    private let descriptor: Int32
    private var isFinished = false
    private let temporary: String

    /// Makes the file beside `path`.
    init(_ path: String) throws {
        self.path = path
        temporary = "\(path).\(getpid())"
        descriptor = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw FileError("write", temporary) }
    }

    deinit {
        close(descriptor)
        if !isFinished { unlink(temporary) }
    }

    /// Adds a piece.
    func write(_ bytes: some Collection<UInt8>) throws {
        var rest = ArraySlice(bytes)
        while !rest.isEmpty {
            let part = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            guard part > 0 else { throw FileError("write", temporary) }
            rest = rest.dropFirst(part)
        }
    }

    /// Takes the place of the file, once all bytes are on the disk: readers see the old or the new content, and after a
    /// power cut the new one.
    func finish() throws {
        guard fsync(descriptor) == 0 else { throw FileError("write", temporary) }
        guard rename(temporary, path) == 0 else { throw FileError("replace", path) }
        isFinished = true
        try Files.synchronizeFolder(path.lastIndex(of: "/").map { String(path[...$0]) } ?? ".")
    }
}
