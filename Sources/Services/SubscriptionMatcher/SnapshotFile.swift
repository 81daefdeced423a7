import CloudMessages
import CloudModel
import Cryptography
import EventLog
import ProtocolBuffers

#if canImport(Glibc)
    import Glibc
#endif

/// The file of a snapshot: a mark of the format, then parts, each with its length before it and its hash behind it. The
/// first part is the header, then come those of the index's image, blocks of versions, and an empty one as the end. A
/// truncated or changed file is detected, and nothing of it is used.
struct SnapshotFile: Sendable {
    /// The last byte is the version of the format.
    private static let mark = Array("fanfare".utf8) + [3]
    /// The largest part: blocks are cut by the number of their versions, and none of these is larger than a message.
    private static let partBytesMax = 1 << 30

    private let descriptor: Int32

    /// Makes a file, or empties the one that is there.
    static func make(_ path: String) throws -> SnapshotFile {
        let file = SnapshotFile(
            descriptor: try check(Glibc.open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600), "make", path))
        try file.write(mark)
        return file
    }

    /// Opens a file; nil when there is none, or when it has another format.
    static func open(_ path: String) -> SnapshotFile? {
        let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        let file = SnapshotFile(descriptor: descriptor)
        if let bytes = try? file.read(mark.count), bytes == mark { return file }
        file.close()
        return nil
    }

    /// Writes a part.
    func append(_ part: [UInt8]) throws {
        try write(withUnsafeBytes(of: UInt32(part.count).littleEndian) { Array($0) })
        try write(part)
        try write(SHA256.hash(part))
    }

    /// Reads the next part, with its hash; nil at the end.
    func next() throws -> (part: [UInt8], hash: [UInt8])? {
        let length = try read(4).reversed().reduce(0) { $0 << 8 | Int($1) }
        guard length <= Self.partBytesMax else { throw SnapshotFailure("a part of \(length) bytes") }
        let part = try read(length)
        let hash = try read(SHA256.bytes)
        guard length == 0 else { return (part, hash) }
        // A length that was changed to 0 is no end.
        guard hash == SHA256.hash([]) else { throw SnapshotFailure("the hash of the end is another") }
        return nil
    }

    /// Writes the end and waits until the disk has everything.
    func finish() throws {
        try append([])
        _ = try Self.check(fsync(descriptor), "keep", "the snapshot")
    }

    func close() { _ = Glibc.close(descriptor) }

    private func write(_ bytes: [UInt8]) throws {
        var done = 0
        while done < bytes.count {
            let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress! + done, $0.count - done) }
            if count < 0, errno == EINTR { continue }
            done += Int(try Self.check(count, "write", "the snapshot"))
        }
    }

    private func read(_ count: Int) throws -> [UInt8] {
        var failure: (any Error)?
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            while filled < count {
                let part = Glibc.read(descriptor, buffer.baseAddress! + filled, count - filled)
                if part < 0, errno == EINTR { continue }
                guard part > 0 else {
                    failure = SnapshotFailure(part == 0 ? "it ends too early" : String(cString: strerror(errno)))
                    return
                }
                filled += part
            }
        }
        if let failure { throw failure }
        return bytes
    }

    private static func check<Number: SignedInteger>(
        _ result: Number, _ attempt: String, _ path: String
    ) throws -> Number {
        guard result < 0 else { return result }
        throw SnapshotFailure("cannot \(attempt) \(path): \(String(cString: strerror(errno)))")
    }
}

/// A snapshot cannot be written, or must not be used.
struct SnapshotFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
