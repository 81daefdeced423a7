package import CloudModel
package import Cryptography
package import RecordStore

/// The bytes of assets and the sealed texts that refer to them, of one container's environment.
package struct AssetStorage: Sendable {
    /// The texts that let clients upload, use and download assets.
    package let tokens: AssetTokens
    let store: any AssetStore
    /// Keeps removals apart from uploads of the same bytes.
    let gate = AssetGate()

    package init(_ store: any AssetStore, keys: KeyRing) {
        self.store = store
        tokens = AssetTokens(keys)
    }

    /// The folder into which bodies of uploads are to be written as files; nil when they are to be held in memory.
    package var uploadFolder: String? { store.uploadFiles?.incomingFolder }

    /// The contents of an asset, to be sent; nil when it is not kept. Of a local file nothing is waited for.
    /// - Throws: `StoreError`, also when the store's bytes are not as many.
    package func download(of asset: Asset) async throws -> AssetDownload? {
        if let files = store.localFiles { return files.path(of: asset.fileChecksum).map { .file(path: $0) } }
        guard let size = try await store.size(of: asset.fileChecksum) else { return nil }
        guard size == asset.size else {
            throw StoreError.unreadable("the file \(asset.fileChecksum) has \(size) bytes in place of \(asset.size)")
        }
        let parts = VerifiedParts(of: asset, in: store)
        return .parts { try await parts.read(from: $0, count: $1) }
    }

    /// Begins to take in the body of an upload.
    func incoming(_ body: AssetBody) async throws -> any IncomingAsset {
        if case .file(let path) = body, let files = store.uploadFiles { return files.adopt(path) }
        guard case .bytes(let bytes) = body else {
            throw StoreError.refused("the asset store takes no files")
        }
        let incoming = try await store.makeIncoming()
        do {
            if !bytes.isEmpty { try await incoming.append(bytes) }
            return incoming
        } catch {
            await incoming.discard()
            throw error
        }
    }
}

/// The body of an upload.
package enum AssetBody: Sendable {
    /// A file in `AssetStorage.uploadFolder`. Unless it is kept, removing it is its writer's responsibility.
    case file(path: String)
    case bytes([UInt8])
}

/// The contents of an asset on their way out.
package enum AssetDownload: Sendable {
    /// A local file, which may be removed by a sweep: open it at once.
    case file(path: String)
    /// Reads parts by offset and count, one at a time; nil when the asset was removed meanwhile. Where they come in
    /// order from the first byte, the last one is withheld with an error if all together are not the asset's bytes.
    case parts(read: @Sendable (_ offset: Int64, _ count: Int) async throws -> [UInt8]?)
}
