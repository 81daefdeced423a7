/// The port of assets' bytes: files of one container's environment, found by the checksum of their contents, which is
/// the Base64 of their SHA-256.
///
/// The record store knows which assets there are; this port only keeps bytes. Failures are `StoreError`s: `full` when
/// there is no space, `unavailable` when the same call may succeed later, `unreadable` when kept bytes are not those of
/// the checksum, `failed` for others.
package protocol AssetStore: Sendable {
    /// A capability: bodies of uploads that the server writes into files; nil when they are held in memory.
    var uploadFiles: (any AssetUploadFiles)? { get }

    /// A capability: assets that are files of this machine; nil when all bytes go through this port.
    var localFiles: (any LocalAssetFiles)? { get }

    /// Begins an upload, of which nothing is found until it is kept.
    func makeIncoming() async throws -> any IncomingAsset

    /// The bytes of a kept asset; nil when there is none.
    func size(of checksum: String) async throws -> Int64?

    /// Reads a part of a kept asset: `count` bytes from an offset, fewer at its end; nil when there is none.
    func read(_ checksum: String, from offset: Int64, count: Int) async throws -> [UInt8]?

    /// Removes a kept asset; harmless when there is none.
    func remove(_ checksum: String) async throws
}

/// The checksum and size of an asset.
package struct AssetContents: Hashable, Sendable {
    /// Base64 of the SHA-256 of the bytes.
    package var checksum: String
    /// The number of bytes.
    package var size: Int64

    package init(checksum: String, size: Int64) {
        self.checksum = checksum
        self.size = size
    }
}
