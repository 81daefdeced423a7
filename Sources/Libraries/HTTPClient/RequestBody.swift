import CCurl

#if canImport(Glibc)
    import Glibc
#endif

/// The body of a request as libcurl reads it, and rewinds it when it has to connect again. Of the client's thread only.
struct RequestBody {
    private enum Source {
        case bytes([UInt8])
        case file(Int32)
    }

    /// The size in bytes.
    let count: Int
    private let source: Source
    private var position = 0

    /// Throws the system's words when a file cannot be opened.
    init(_ body: HTTPClientRequest.Body) throws(UnreadableBody) {
        switch body {
        case .empty:
            source = .bytes([])
            count = 0
        case .bytes(let bytes):
            source = .bytes(bytes)
            count = bytes.count
        case .file(let path):
            let descriptor = open(path, O_RDONLY | O_CLOEXEC)
            var status = stat()
            guard descriptor >= 0, fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
                let reason = descriptor < 0 ? String(cString: strerror(errno)) : "it is not a file"
                if descriptor >= 0 { Glibc.close(descriptor) }
                throw UnreadableBody(reason: "could not read the body from \(path): \(reason)")
            }
            source = .file(descriptor)
            count = Int(status.st_size)
        }
    }

    /// Once, when the transfer is over.
    func close() {
        if case .file(let descriptor) = source { Glibc.close(descriptor) }
    }

    /// The number of bytes put into the buffer, 0 at the end, -1 when the file cannot be read or has shrunk.
    mutating func read(into target: UnsafeMutableRawBufferPointer) -> Int {
        let wanted = min(target.count, count - position)
        guard wanted > 0 else { return 0 }
        var read = wanted
        switch source {
        case .bytes(let bytes):
            bytes.withUnsafeBytes { target.copyMemory(from: .init(rebasing: $0[position..<position + wanted])) }
        case .file(let descriptor):
            read = pread(descriptor, target.baseAddress, wanted, off_t(position))
            guard read > 0 else { return -1 }
        }
        position += read
        return read
    }

    mutating func rewind(to position: Int) { self.position = position }
}

/// The reason why a body cannot be sent.
struct UnreadableBody: Error {
    var reason: String
}
