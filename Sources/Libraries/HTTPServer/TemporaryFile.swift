import CMicroHTTPD

#if canImport(Glibc)
    import Glibc
#endif

/// A file for one body, removed when the last reference is released, unless it was renamed meanwhile.
final class TemporaryFile: Sendable {
    let path: String
    private let descriptor: Int32

    /// Creates `upload-XXXXXX` in a directory. Throws what the system said.
    init(in directory: String) throws(TemporaryFileError) {
        var template = Array("\(directory)/upload-XXXXXX".utf8CString)
        descriptor = microhttpd_create_temporary(&template)
        guard descriptor >= 0 else { throw TemporaryFileError(attempt: "create a file in \(directory)", code: errno) }
        path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    deinit {
        var mine = stat()
        var named = stat()
        if fstat(descriptor, &mine) == 0, lstat(path, &named) == 0, mine.st_ino == named.st_ino,
            mine.st_dev == named.st_dev
        {
            unlink(path)
        }
        close(descriptor)
    }

    /// Drops the written bytes.
    func clear() throws(TemporaryFileError) {
        guard ftruncate(descriptor, 0) == 0, lseek(descriptor, 0, SEEK_SET) == 0 else {
            throw TemporaryFileError(attempt: "empty \(path)", code: errno)
        }
    }

    func write(_ bytes: [UInt8]) throws(TemporaryFileError) {
        try bytes.span.withUnsafeBytes { bytes throws(TemporaryFileError) in try write(bytes) }
    }

    func write(_ bytes: UnsafeRawBufferPointer) throws(TemporaryFileError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let part = UnsafeRawBufferPointer(rebasing: rest)
            let written = Glibc.write(descriptor, part.baseAddress, part.count)
            if written < 0 {
                if errno == EINTR { continue }
                throw TemporaryFileError(attempt: "write to \(path)", code: errno)
            }
            rest = rest.dropFirst(written)
        }
    }
}

/// The system's words when a body could not be stored.
struct TemporaryFileError: Error {
    var attempt: String
    var code: Int32

    var reason: String { "could not \(attempt): \(String(cString: strerror(code)))" }
}
