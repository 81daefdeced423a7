import Cryptography
import RecordStore
import Synchronization
import TextForms

#if canImport(Glibc)
    import Glibc
#endif

/// A file that becomes an asset.
final class IncomingFile: IncomingAsset {
    private let path: String
    private let spool: UploadSpool
    private let isSynchronised: Bool
    private let keepFile: UploadSpool.Keep
    /// False when its writer is to remove the file.
    private let isOwn: Bool
    private let contents = Mutex<AssetContents?>(nil)

    /// Creates an empty file.
    init(
        creating path: String, in spool: UploadSpool, synchronised: Bool, keep: @escaping UploadSpool.Keep
    ) throws {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw StoreError.file("create", path) }
        close(descriptor)
        self.path = path
        self.spool = spool
        isSynchronised = synchronised
        keepFile = keep
        isOwn = true
    }

    /// Takes over a file that another wrote.
    init(adopting path: String, in spool: UploadSpool, synchronised: Bool, keep: @escaping UploadSpool.Keep) {
        self.path = path
        self.spool = spool
        isSynchronised = synchronised
        keepFile = keep
        isOwn = false
    }

    func append(_ part: [UInt8]) async throws {
        try await spool.onQueue { [path] in
            let descriptor = open(path, O_WRONLY | O_APPEND | O_CLOEXEC)
            guard descriptor >= 0 else { throw StoreError.file("open", path) }
            defer { close(descriptor) }
            try part.withUnsafeBytes { bytes in
                var rest = bytes[...]
                while !rest.isEmpty {
                    let part = UnsafeRawBufferPointer(rebasing: rest)
                    let written = write(descriptor, part.baseAddress, part.count)
                    if written < 0, errno == EINTR { continue }
                    guard written >= 0 else { throw StoreError.file("write", path) }
                    rest = rest.dropFirst(written)
                }
            }
        }
    }

    func finish() async throws -> AssetContents {
        let found = try await spool.onQueue { [path, isSynchronised] in
            let descriptor = open(path, O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else { throw StoreError.file("open", path) }
            defer { close(descriptor) }
            guard let (hash, bytes) = SHA256.hash(fileDescriptor: descriptor) else {
                throw StoreError.file("read", path)
            }
            guard !isSynchronised || fsync(descriptor) == 0 else { throw StoreError.file("synchronise", path) }
            return AssetContents(checksum: Base64.standard.encode(hash), size: bytes)
        }
        contents.withLock { $0 = found }
        return found
    }

    func keep() async throws {
        guard let contents = contents.withLock({ $0 }) else {
            throw StoreError.refused("\(path) is kept before it is finished")
        }
        try await keepFile(path, contents)
    }

    func discard() async {
        guard isOwn else { return }
        // What cannot be removed now is removed at the next start.
        _ = try? await spool.onQueue { [path] in unlink(path) }
    }
}
