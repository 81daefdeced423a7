import Synchronization

/// Seals stored bytes, each for its place: bytes that were moved to another place do not open there.
///
/// It is derived from the ring's current key of identifiers, and opens by the former ones, too: tokens expire, stored
/// bytes do not, and are sealed again before a former key is removed.
package struct StorageKey: Sendable {
    /// The first byte, to be changed with the form or with what the code is over.
    private static let version: UInt8 = 1
    private static let nonceBytes = 16

    private let ring: KeyRing
    private let purpose: [UInt8]
    private let made: Made

    /// The keys that were derived of the ring's.
    private final class Made: Sendable {
        let keys = Mutex<(of: [SecretKey], derived: [SecretKey])>(([], []))
    }

    /// The key of a ring, for a purpose of its own. It follows a ring that follows a file.
    package init(_ ring: KeyRing, purpose: String) {
        self.ring = ring
        self.purpose = Array("storage ".utf8) + Array(purpose.utf8)
        made = Made()
    }

    /// The keys, the current one first.
    private var keys: [SecretKey] {
        let sources = ring.identifierKeys
        return made.keys.withLock { made in
            if made.of != sources { made = (sources, sources.map { SecretKey(bytes: $0.mac.code(for: purpose))! }) }
            return made.derived
        }
    }

    /// The bytes that only this key opens, and only for the same place. Two sealings of the same differ.
    package func seal(_ payload: [UInt8], for place: String) -> [UInt8] {
        let key = keys[0]
        let nonce = SecureRandom.bytes(count: Self.nonceBytes)
        let content = nonce + KeyRing.crypt(payload, nonce, key, place)
        return [Self.version] + content + key.mac.code(for: authenticated(content, place)).prefix(SealedToken.codeBytes)
    }

    /// The payload of sealed bytes.
    package func open(_ bytes: [UInt8], for place: String) throws(SealedTokenError) -> [UInt8] {
        try opened(bytes, for: place).payload
    }

    /// The payload of sealed bytes, and whether the current key sealed it.
    package func opened(
        _ bytes: [UInt8], for place: String
    ) throws(SealedTokenError) -> (payload: [UInt8], isCurrent: Bool) {
        guard let version = bytes.first else { throw .malformed }
        guard version == Self.version else { throw .unknownVersion(version) }
        guard bytes.count >= 1 + Self.nonceBytes + SealedToken.codeBytes else { throw .malformed }
        let content = Array(bytes[1..<bytes.count - SealedToken.codeBytes])
        let (code, signed) = (Array(bytes.suffix(SealedToken.codeBytes)), authenticated(content, place))
        let keys = keys
        guard let index = keys.firstIndex(where: { $0.mac.isValid(code, for: signed) }) else { throw .forged }
        let payload = KeyRing.crypt(
            Array(content.dropFirst(Self.nonceBytes)), Array(content.prefix(Self.nonceBytes)), keys[index], place)
        return (payload, index == 0)
    }

    /// Codes by which stored bytes of the same message are found without being read, by the current key and each former
    /// one, in this order.
    package func codes(of message: [UInt8]) -> [[UInt8]] {
        // No version of a seal is 0: no code is a part of one.
        keys.map { $0.mac.code(for: [0] + message) }
    }

    /// The bytes that are authenticated: the place has its length before it, so that no two share a code.
    private func authenticated(_ content: [UInt8], _ place: String) -> [UInt8] {
        var bytes = [Self.version]
        withUnsafeBytes(of: UInt64(place.utf8.count).bigEndian) { bytes += $0 }
        return bytes + Array(place.utf8) + content
    }
}
