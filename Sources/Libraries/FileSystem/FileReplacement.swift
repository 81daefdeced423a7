#if canImport(Glibc)
    import Glibc
#endif

/// A file that is written piece by piece beside the one whose place it takes in the end. Readable by its owner only.
package final class FileReplacement {
    private let path: String
    private let descriptor: Int32
    private var isFinished = false
    private let temporary: String

    /// Makes the file beside `path`.
    package init(_ path: String) throws {
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
    package func write(_ bytes: some Collection<UInt8>) throws {
        try Files.write(bytes, to: descriptor, at: temporary)
    }

    /// Takes the place of the file, once all bytes are on the disk.
    package func finish() throws {
        try Files.move(temporary, openAs: descriptor, to: path)
        isFinished = true
    }
}
