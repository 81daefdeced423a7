import TextForms

#if canImport(Glibc)
    import Glibc
#endif

/// A small file with secrets. Its calls wait for the disk.
struct KeyFile {
    /// More than any ring has; a larger file was named by mistake.
    static let bytesMax = 1 << 20

    let path: String

    func contents() throws(KeyRingError) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw errno == ENOENT ? .missing(file: path) : failure("open") }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 4096)
        while bytes.count <= Self.bytesMax {
            let count = read(descriptor, &part, part.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw failure("read") }
            if count == 0 { return bytes }
            bytes += part[..<count]
        }
        throw .inaccessible(file: path, action: "read", reason: "it has more than \(Self.bytesMax) bytes")
    }

    func replace(with bytes: [UInt8]) throws(KeyRingError) {
        let temporary = try writeApart(bytes)
        guard rename(temporary, path) == 0 else {
            let error = failure("replace")
            unlink(temporary)
            throw error
        }
        try synchronizeFolder()
    }

    /// Makes the file, whole, unless there is one: of several processes that do so at once, one makes it.
    /// - Returns: false if there is one.
    func create(with bytes: [UInt8]) throws(KeyRingError) -> Bool {
        let temporary = try writeApart(bytes)
        defer { unlink(temporary) }
        guard link(temporary, path) == 0 else {
            if errno == EEXIST { return false }
            throw failure("make")
        }
        try synchronizeFolder()
        return true
    }

    /// Writes a file of another name in the same folder, as only within a file system a file takes another's place at
    /// once.
    private func writeApart(_ bytes: [UInt8]) throws(KeyRingError) -> String {
        let temporary = "\(path).\(Hexadecimal.encode(SecureRandom.bytes(count: 6)))"
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw failure("make a new version of") }
        do throws(KeyRingError) {
            defer { close(descriptor) }
            try append(bytes, to: descriptor)
        } catch {
            unlink(temporary)
            throw error
        }
        return temporary
    }

    private func append(_ bytes: [UInt8], to descriptor: CInt) throws(KeyRingError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw failure("write") }
            rest = rest.dropFirst(count)
        }
        guard fsync(descriptor) == 0 else { throw failure("write") }
    }

    /// The name is on the disk only when the folder is.
    private func synchronizeFolder() throws(KeyRingError) {
        let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
        let descriptor = open(folder, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure("open the folder of") }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw failure("write the folder of") }
    }

    /// The error of the call that just failed.
    private func failure(_ action: String) -> KeyRingError {
        .inaccessible(file: path, action: action, reason: String(cString: strerror(errno)))
    }
}
