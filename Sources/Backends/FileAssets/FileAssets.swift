import Cryptography
import Dispatch
package import RecordStore
import TextForms

#if canImport(Glibc)
    import Glibc
#endif

/// The port of assets' bytes on a folder: one file for each asset, named by its hash.
package struct FileAssets: AssetStore, LocalAssetFiles {
    package let incomingFolder: String
    let folder: String
    /// Hashing and synchronising wait for the disk: never on Swift's pool, nor on a thread of the HTTP server.
    private let queue = DispatchQueue(label: "FileAssets", attributes: .concurrent)

    /// Makes the folder, and as the owner removes what unfinished uploads left there: a visitor leaves the owner's.
    /// - Parameter folder: this environment's own.
    package init(folder: String, role: StoreRole = .owner) throws {
        self.folder = folder
        incomingFolder = "\(folder)/incoming"
        try Folders.make(incomingFolder)
        if role == .owner { try Folders.empty(incomingFolder) }
    }

    package var localFiles: (any LocalAssetFiles)? { self }

    package func makeIncoming() async throws -> any IncomingAsset {
        let path = "\(incomingFolder)/asset-\(Hexadecimal.encode(SecureRandom.bytes(count: 8)))"
        return try await onQueue { try IncomingFile(creating: path, in: self) }
    }

    package func adopt(_ path: String) -> any IncomingAsset { IncomingFile(adopting: path, in: self) }

    package func path(of checksum: String) -> String? {
        guard let path = name(of: checksum), access(path, R_OK) == 0 else { return nil }
        return path
    }

    package func size(of checksum: String) async throws -> Int64? {
        guard let path = name(of: checksum) else { return nil }
        return try await onQueue {
            var status = stat()
            guard stat(path, &status) == 0 else {
                guard errno == ENOENT else { throw StoreError.file("look at", path) }
                return nil
            }
            return Int64(status.st_size)
        }
    }

    package func read(_ checksum: String, from offset: Int64, count: Int) async throws -> [UInt8]? {
        guard let path = name(of: checksum) else { return nil }
        return try await onQueue {
            let descriptor = open(path, O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else {
                guard errno == ENOENT else { throw StoreError.file("open", path) }
                return nil
            }
            defer { close(descriptor) }
            var part = [UInt8](repeating: 0, count: count)
            var filled = 0
            while filled < count {
                let got = part.withUnsafeMutableBytes {
                    pread(descriptor, $0.baseAddress! + filled, count - filled, off_t(offset) + off_t(filled))
                }
                if got < 0, errno == EINTR { continue }
                guard got >= 0 else { throw StoreError.file("read", path) }
                if got == 0 { break }
                filled += got
            }
            part.removeLast(count - filled)
            return part
        }
    }

    package func remove(_ checksum: String) async throws {
        try await onQueue { try removeAtOnce(checksum) }
    }

    package func removeAtOnce(_ checksum: String) throws {
        guard let path = name(of: checksum) else { return }
        guard unlink(path) == 0 || errno == ENOENT else { throw StoreError.file("remove", path) }
    }

    /// The path of an asset, stored or not; nil for a text that is no checksum.
    func name(of checksum: String) -> String? {
        guard let hash = Base64.standard.decode(checksum), hash.count == SHA256.bytes else { return nil }
        let name = Hexadecimal.encode(hash)
        return "\(folder)/\(name.prefix(2))/\(name)"
    }

    func onQueue<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Swift.Result { try body() }) }
        }
    }
}
