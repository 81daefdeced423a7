import CloudModel
import Cryptography
import RecordStore
import Synchronization
import TextForms

/// The parts of one download: where they come in order from the first byte to the last, the last one is given only if
/// their hash is the asset's checksum. A part in the middle is given as the store has it.
final class VerifiedParts: Sendable {
    private struct State: ~Copyable {
        /// The hash of the first `count` bytes; nil once a part was skipped.
        var hash: SHA256.Running? = SHA256.Running()
        var count: Int64 = 0
    }

    private let asset: Asset
    private let store: any AssetStore
    private let state = Mutex(State())

    init(of asset: Asset, in store: any AssetStore) {
        self.asset = asset
        self.store = store
    }

    /// A part; nil when the asset is not kept any more.
    /// - Throws: `StoreError.unreadable` when the bytes are not the asset's.
    func read(from offset: Int64, count: Int) async throws -> [UInt8]? {
        guard let part = try await store.read(asset.fileChecksum, from: offset, count: count) else { return nil }
        let hash = state.withLock { state in Self.add(part, at: offset, of: asset.size, &state) }
        guard let hash, Base64.standard.encode(hash) != asset.fileChecksum else { return part }
        throw StoreError.unreadable(
            "the kept bytes of the file \(asset.fileChecksum) have the checksum \(Base64.standard.encode(hash))")
    }

    /// Takes in a part; returns the hash of all bytes with the last one.
    private static func add(
        _ part: [UInt8], at offset: Int64, of size: Int64, _ state: inout State
    ) -> [UInt8]? {
        guard var hash = state.hash.take(), offset == state.count else { return nil }
        hash.update(part)
        state.count += Int64(part.count)
        guard state.count < size else { return hash.finish() }
        state.hash = consume hash
        return nil
    }
}
