import Cryptography
package import RecordStore
import Synchronization
import TextForms

/// Assets' bytes in memory: a backend without files.
package final class MemoryAssets: AssetStore {
    private let kept = Mutex<[String: [UInt8]]>([:])

    package init() {}

    package var uploadFiles: (any AssetUploadFiles)? { nil }
    package var localFiles: (any LocalAssetFiles)? { nil }

    package func makeIncoming() async throws -> any IncomingAsset { Incoming(self) }

    package func size(of checksum: String) async throws -> Int64? {
        kept.withLock { $0[checksum].map { Int64($0.count) } }
    }

    package func read(_ checksum: String, from offset: Int64, count: Int) async throws -> [UInt8]? {
        kept.withLock { $0[checksum].map { Array($0.dropFirst(Int(offset)).prefix(count)) } }
    }

    /// Keeps bytes under a checksum that need not be theirs.
    package func put(_ bytes: [UInt8], as checksum: String) { kept.withLock { $0[checksum] = bytes } }

    package func remove(_ checksum: String) async throws { kept.withLock { $0[checksum] = nil } }

    /// Bytes that come in parts.
    private final class Incoming: IncomingAsset {
        private let assets: MemoryAssets
        private let bytes = Mutex<[UInt8]>([])

        init(_ assets: MemoryAssets) { self.assets = assets }

        func append(_ part: [UInt8]) async throws { bytes.withLock { $0 += part } }

        func finish() async throws -> AssetContents { contents.contents }

        func keep() async throws {
            let (contents, bytes) = contents
            assets.kept.withLock { $0[contents.checksum] = bytes }
        }

        func discard() async {}

        private var contents: (contents: AssetContents, bytes: [UInt8]) {
            let bytes = bytes.withLock { $0 }
            let checksum = Base64.standard.encode(SHA256.hash(bytes))
            return (AssetContents(checksum: checksum, size: Int64(bytes.count)), bytes)
        }
    }
}
