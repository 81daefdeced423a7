import COpenSSL

/// A parsed key of the curve P-256, private or public. Parsing costs six times what verifying does: keep them.
// `@unchecked Sendable`: OpenSSL allows signing and verifying with one key on several threads; nothing changes it.
final class P256Key: @unchecked Sendable {
    let key: OpaquePointer

    /// Takes over what OpenSSL made.
    init(owning key: OpaquePointer) { self.key = key }

    /// The key of a PEM text.
    init(pem: String, isPrivate: Bool) throws(P256KeyError) {
        var pem = pem
        let found = pem.withUTF8 { COpenSSL_readKey($0.baseAddress, Int32($0.count), isPrivate ? 1 : 0) }
        guard let found else {
            ERR_clear_error()
            throw .malformed
        }
        key = found
        guard COpenSSL_isP256(found) == 1 else {
            ERR_clear_error()
            throw .otherKind
        }
    }

    deinit { EVP_PKEY_free(key) }

    /// The key as PEM.
    func pem(isPrivate: Bool) -> String {
        let bytes = [UInt8](unsafeUninitializedCapacity: 1024) { buffer, count in
            let written = COpenSSL_writeKey(key, buffer.baseAddress, Int32(buffer.count), isPrivate ? 1 : 0)
            OpenSSL.require(written > 0, "write a key as PEM")
            count = Int(written)
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// The reason why a text is no key of the curve P-256.
package enum P256KeyError: Error, Equatable, CustomStringConvertible {
    /// No PEM of such a key, or one with a password.
    case malformed
    /// A key of another algorithm or curve.
    case otherKind

    /// One sentence.
    package var description: String {
        switch self {
        case .malformed: "the text is no key in PEM, or the key has a password"
        case .otherKind: "the key is not of the curve P-256 (prime256v1)"
        }
    }
}
