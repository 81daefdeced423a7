import Cryptography
package import RecordStore
import TextForms

#if canImport(Glibc)
    import Glibc
#endif

/// The port of assets' bytes on a folder: one file for each asset, named by its hash.
package struct FileAssets: AssetStore, LocalAssetFiles {
    let folder: String
    private let spool: UploadSpool

    /// Makes the folder, and as the owner removes what unfinished uploads left there: a visitor leaves the owner's.
    /// - Parameter folder: this environment's own.
    package init(folder: String, role: StoreRole = .owner) throws {
        self.folder = folder
        spool = try UploadSpool(folder: "\(folder)/incoming", role: role)
    }

    package var uploadFiles: (any AssetUploadFiles)? { self }
    package var localFiles: (any LocalAssetFiles)? { self }
    package var incomingFolder: String { spool.folder }

    package func makeIncoming() async throws -> any IncomingAsset {
        try await spool.makeUpload(synchronised: true, keep: keep)
    }

    package func adopt(_ path: String) -> any IncomingAsset {
        spool.adopt(path, synchronised: true, keep: keep)
    }

    package func path(of checksum: String) -> String? {
        guard let path = name(of: checksum), access(path, R_OK) == 0 else { return nil }
        return path
    }

    package func size(of checksum: String) async throws -> Int64? {
        guard let path = name(of: checksum) else { return nil }
        return try await spool.onQueue {
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
        return try await spool.onQueue {
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
        try await spool.onQueue { try removeAtOnce(checksum) }
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

    /// Gives a finished upload the name of its asset.
    @Sendable private func keep(_ path: String, _ contents: AssetContents) async throws {
        guard let name = name(of: contents.checksum) else { throw StoreError.refused("\(path) has no checksum") }
        try await spool.onQueue { [folder] in
            let folderOfAsset = String(name[..<name.lastIndex(of: "/")!])
            try Folders.make(folderOfAsset)
            guard rename(path, name) == 0 else { throw StoreError.file("rename", path) }
            try Folders.synchronize(folderOfAsset)
            try Folders.synchronize(folder)
        }
    }
}
