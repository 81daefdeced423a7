#if canImport(Glibc)
    import Glibc
#endif

/// A file that is written piece by piece beside the one whose place it takes in the end. Readable by its owner only.
final class FileReplacement {
    private let path: String
    private let descriptor: Int32
    private var isFinished = false
    /// The file of the pieces until the end.
    let temporary: String

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
    func write(_ bytes: [UInt8]) throws {
        var written = 0
        while written < bytes.count {
            let part = bytes[written...].withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            guard part > 0 else { throw FileError("write", temporary) }
            written += part
        }
    }

    /// Takes the place of the file, once all bytes are on the disk.
    func finish() throws {
        guard fsync(descriptor) == 0 else { throw FileError("write", temporary) }
        guard rename(temporary, path) == 0 else { throw FileError("replace", path) }
        isFinished = true
    }
}
