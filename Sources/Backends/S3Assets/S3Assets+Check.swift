import Cryptography
import RecordStore

extension S3Assets {
    /// Writes, reads and removes 32 random bytes as an asset, so that a start sees missing rights and wrong settings.
    /// - Returns: the reason why the bucket cannot be used now, which may pass by itself; nil when it can be used.
    /// - Throws: `StoreError` with the reason when an operator has to correct something.
    package func check() async throws -> String? {
        let incoming = try await makeIncoming()
        do {
            let bytes = SecureRandom.bytes(count: 32)
            try await incoming.append(bytes)
            let checksum = try await incoming.finish().checksum
            try await incoming.keep()
            guard try await read(checksum, from: 0, count: bytes.count) == bytes else {
                throw StoreError.failed("the store does not give back the bytes that it took")
            }
            try await remove(checksum)
            return nil
        } catch {
            await incoming.discard()
            guard let error = error as? StoreError else { throw error }
            switch error {
            case .unavailable(let text), .full(let text): return text
            case .owned, .refused, .unreadable, .failed: throw error
            }
        }
    }
}
