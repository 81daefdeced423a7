import Cryptography
import FileAssets
import HTTPClient
package import RecordStore
import TextForms

#if canImport(Glibc)
    import Glibc
#endif

/// The port of assets' bytes on a bucket: one object for each asset, named by its hash.
package struct S3Assets: AssetStore, AssetUploadFiles {
    /// The header with the hash of an object's bytes. Tools that copy objects may leave it out.
    private static let hashHeader = "x-amz-meta-sha256"

    private let bucket: S3Bucket
    /// The beginning of keys, with its slash.
    private let folder: String
    private let spool: UploadSpool

    /// Makes the folder of uploads, and as the owner removes what unfinished ones left there. Nothing is sent.
    /// - Parameters:
    ///   - scope: the name of the container's environment: letters, digits, `-` and `.`.
    ///   - spool: the folder for bodies of uploads, this environment's own.
    package init(
        _ bucket: S3Bucket, scope: String, spool: String, role: StoreRole = .owner
    ) throws {
        self.bucket = bucket
        let prefix = bucket.location.prefix
        folder = prefix.isEmpty ? "\(scope)/" : "\(prefix)/\(scope)/"
        self.spool = try UploadSpool(folder: spool, role: role)
    }

    package var uploadFiles: (any AssetUploadFiles)? { self }
    package var localFiles: (any LocalAssetFiles)? { nil }
    package var incomingFolder: String { spool.folder }

    package func makeIncoming() async throws -> any IncomingAsset {
        // Nothing is safe before the bucket has it.
        try await spool.makeUpload(synchronised: false, keep: keep)
    }

    package func adopt(_ path: String) -> any IncomingAsset {
        spool.adopt(path, synchronised: false, keep: keep)
    }

    package func size(of checksum: String) async throws -> Int64? {
        guard let hash = Self.hash(checksum) else { return nil }
        return try await size(of: hash)
    }

    package func read(_ checksum: String, from offset: Int64, count: Int) async throws -> [UInt8]? {
        guard let hash = Self.hash(checksum) else { return nil }
        let key = key(of: hash)
        guard count > 0 else { return try await size(of: hash).map { _ in [] } }
        let range = [("Range", "bytes=\(offset)-\(offset + Int64(count) - 1)")]
        let response: HTTPClientResponse
        switch try await bucket.send("GET", key, headers: range, answerMax: count) {
        case .success(let answer): response = answer
        case .failure(let refusal): return refusal.kind == .beyond ? [] : nil
        }
        guard let part = S3Part(status: response.status, headers: response.headers, bodyCount: response.body.count),
            part.offset == offset, part.count == min(Int64(count), part.total - offset)
        else {
            throw wrong(key, "the store answered \(response.body.count) other bytes than were asked for")
        }
        try check(response.headers, hash, key)
        guard !part.isWhole || SHA256.hash(response.body) == hash else {
            throw wrong(key, "the object's bytes have another SHA-256 than its name")
        }
        return response.body
    }

    package func remove(_ checksum: String) async throws {
        guard let hash = Self.hash(checksum) else { return }
        _ = try await bucket.send("DELETE", key(of: hash))
    }

    /// The key of an object: as a folder of assets has it, so that either can be copied by other tools.
    func key(of hash: [UInt8]) -> String {
        let name = Hexadecimal.encode(hash)
        return "\(folder)\(name.prefix(2))/\(name)"
    }

    private static func hash(_ checksum: String) -> [UInt8]? {
        guard let hash = Base64.standard.decode(checksum), hash.count == SHA256.bytes else { return nil }
        return hash
    }

    private func size(of hash: [UInt8]) async throws -> Int64? {
        let key = key(of: hash)
        switch try await bucket.send("HEAD", key) {
        case .success(let response):
            try check(response.headers, hash, key)
            guard let size = response.headers["Content-Length"].flatMap({ Int64($0) }), size >= 0 else {
                throw wrong(key, "the store says no size")
            }
            return size
        case .failure:
            // A head has no cause: a missing bucket must not be taken for a missing object.
            switch try await bucket.send("GET", key, headers: [("Range", "bytes=0-0")]) {
            case .failure(let refusal) where refusal.kind == .noObject: return nil
            default: throw StoreError.unavailable(bucket.words("HEAD", key, "the store's answers differ"))
            }
        }
    }

    /// Puts a finished upload into the bucket, and removes its file.
    @Sendable private func keep(_ path: String, _ contents: AssetContents) async throws {
        guard let hash = Self.hash(contents.checksum) else { throw StoreError.refused("\(path) has no checksum") }
        let key = key(of: hash)
        let answer = try await bucket.send(
            "PUT", key, headers: [(Self.hashHeader, Hexadecimal.encode(hash))],
            file: S3File(path: path, hash: hash, size: contents.size))
        if case .failure(let refusal) = answer { throw StoreError.failed(bucket.words("PUT", key, refusal.text)) }
        // A store that lost the bytes would be noticed by a download alone.
        guard try await size(of: hash) == contents.size else {
            throw StoreError.failed(bucket.words("PUT", key, "the store took it, and does not have it"))
        }
        _ = try? await spool.onQueue { unlink(path) }
    }

    /// Throws if an object says that it has other bytes.
    private func check(_ headers: HTTPClientHeaders, _ hash: [UInt8], _ key: String) throws {
        guard let text = headers[Self.hashHeader], text.lowercased() != Hexadecimal.encode(hash) else { return }
        throw wrong(key, "the store answered another object, whose SHA-256 is \(text.prefix(64))")
    }

    private func wrong(_ key: String, _ text: String) -> StoreError {
        .unreadable(
            bucket.words("GET", key, "\(text). Find what changes the bucket, and restore the object"))
    }
}
