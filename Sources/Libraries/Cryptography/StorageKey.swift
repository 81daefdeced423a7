/// Seals bytes that are stored for good, each for its place: bytes that were moved to another place do not open there.
///
/// It is made of the ring's key of identifiers, which is never rotated and never removed: tokens end, stored bytes do not.
package struct StorageKey: Sendable {
    /// The first byte, to be changed with the form or with what the code is over.
    private static let version: UInt8 = 1
    private static let nonceBytes = 16

    private let key: SecretKey

    /// The key of a ring, for a purpose of its own.
    package init(_ ring: KeyRing, purpose: String) {
        key = SecretKey(bytes: ring.identifierKey.mac.code(for: Array("storage ".utf8) + Array(purpose.utf8)))!
    }

    /// The bytes that only this key opens, and only for the same place. Two sealings of the same differ.
    package func seal(_ payload: [UInt8], for place: String) -> [UInt8] {
        let nonce = SecureRandom.bytes(count: Self.nonceBytes)
        let content = nonce + KeyRing.crypt(payload, nonce, key, place)
        return [Self.version] + content + key.mac.code(for: authenticated(content, place)).prefix(SealedToken.codeBytes)
    }

    /// The payload of sealed bytes.
    package func open(_ bytes: [UInt8], for place: String) throws(SealedTokenError) -> [UInt8] {
        guard let version = bytes.first else { throw .malformed }
        guard version == Self.version else { throw .unknownVersion(version) }
        guard bytes.count >= 1 + Self.nonceBytes + SealedToken.codeBytes else { throw .malformed }
        let content = Array(bytes[1..<bytes.count - SealedToken.codeBytes])
        guard key.mac.isValid(Array(bytes.suffix(SealedToken.codeBytes)), for: authenticated(content, place)) else {
            throw .forged
        }
        return KeyRing.crypt(
            Array(content.dropFirst(Self.nonceBytes)), Array(content.prefix(Self.nonceBytes)), key, place)
    }

    /// The bytes that are authenticated: the place has its length before it, so that no two share a code.
    private func authenticated(_ content: [UInt8], _ place: String) -> [UInt8] {
        var bytes = [Self.version]
        withUnsafeBytes(of: UInt64(place.utf8.count).bigEndian) { bytes += $0 }
        return bytes + Array(place.utf8) + content
    }
}
