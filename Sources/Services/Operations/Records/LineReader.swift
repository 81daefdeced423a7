import Compression

#if canImport(Glibc)
    import Glibc
#endif

/// Reads a file line by line, gzip understood, without holding more of it than a piece.
package final class LineReader {
    private static let pieceBytes = 256 << 10

    private let descriptor: Int32
    private let path: String
    private var gzip: GzipReader?
    private var rest: [UInt8] = []
    private var start = 0
    private var isAtEnd = false
    private var isFirst = true
    /// Bytes of the file, and how many of them have been read: for progress.
    package let fileBytes: Int
    /// Bytes of the file that have been read, before any decompression.
    package private(set) var bytesRead = 0

    /// Opens a file.
    package init(path: String) throws {
        self.path = path
        descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw ImportError("\(path) cannot be opened: \(String(cString: strerror(errno)))")
        }
        var status = stat()
        fstat(descriptor, &status)
        fileBytes = Int(status.st_size)
    }

    deinit { close(descriptor) }

    /// The next line without its end; nil after the last.
    package func next() throws -> ArraySlice<UInt8>? {
        var searched = start
        while true {
            if let end = rest[searched...].firstIndex(of: UInt8(ascii: "\n")) {
                defer { start = end + 1 }
                return rest[start..<end]
            }
            searched = rest.count - start
            rest.removeFirst(start)
            start = 0
            guard try fill() else {
                defer { start = rest.count }
                return rest.isEmpty ? nil : rest[...]
            }
        }
    }

    /// Reads more bytes; false at the end.
    private func fill() throws -> Bool {
        while !isAtEnd {
            let before = rest.count
            let piece = try readPiece()
            if isFirst {
                isFirst = false
                if piece.starts(with: [0x1f, 0x8b]) { gzip = GzipReader() }
            }
            isAtEnd = piece.isEmpty
            if gzip == nil {
                rest += piece
            } else if piece.isEmpty {
                try gzip?.finish()
            } else {
                gzip?.append(piece)
                while let content = try gzip?.next(maximumBytes: Self.pieceBytes) { rest += content }
            }
            if rest.count > before { return true }
        }
        return false
    }

    private func readPiece() throws -> [UInt8] {
        var failure: Int32 = 0
        let piece = [UInt8](unsafeUninitializedCapacity: Self.pieceBytes) { buffer, count in
            let got = read(descriptor, buffer.baseAddress, Self.pieceBytes)
            if got < 0 { failure = errno }
            count = max(0, got)
        }
        guard failure == 0 else { throw ImportError("\(path) cannot be read: \(String(cString: strerror(failure)))") }
        bytesRead += piece.count
        return piece
    }
}
