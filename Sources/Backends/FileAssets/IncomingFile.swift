import Cryptography
import RecordStore
import Synchronization
import TextForms

#if canImport(Glibc)
    import Glibc
#endif

/// A file that becomes an asset: its bytes are synchronised, then it is renamed.
final class IncomingFile: IncomingAsset {
    private let path: String
    private let assets: FileAssets
    /// False when its writer is to remove the file.
    private let isOwn: Bool
    private let contents = Mutex<AssetContents?>(nil)

    /// Creates an empty file.
    init(creating path: String, in assets: FileAssets) throws {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw StoreError.file("create", path) }
        close(descriptor)
        self.path = path
        self.assets = assets
        isOwn = true
    }

    /// Takes over a file that another wrote.
    init(adopting path: String, in assets: FileAssets) {
        self.path = path
        self.assets = assets
        isOwn = false
    }

    func append(_ part: [UInt8]) async throws {
        try await assets.onQueue { [path] in
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
        let found = try await assets.onQueue { [path] in
            let descriptor = open(path, O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else { throw StoreError.file("open", path) }
            defer { close(descriptor) }
            guard let (hash, bytes) = SHA256.hash(fileDescriptor: descriptor) else {
                throw StoreError.file("read", path)
            }
            guard fsync(descriptor) == 0 else { throw StoreError.file("synchronise", path) }
            return AssetContents(checksum: Base64.standard.encode(hash), size: bytes)
        }
        contents.withLock { $0 = found }
        return found
    }

    func keep() async throws {
        guard let name = contents.withLock({ $0 }).flatMap({ assets.name(of: $0.checksum) }) else {
            throw StoreError.refused("\(path) is kept before it is finished")
        }
        try await assets.onQueue { [path, assets] in
            let folder = String(name[..<name.lastIndex(of: "/")!])
            try Folders.make(folder)
            guard rename(path, name) == 0 else { throw StoreError.file("rename", path) }
            try Folders.synchronize(folder)
            try Folders.synchronize(assets.folder)
        }
    }

    func discard() async {
        guard isOwn else { return }
        // What cannot be removed now is removed at the next start.
        _ = try? await assets.onQueue { [path] in unlink(path) }
    }
}
