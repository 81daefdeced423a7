import COpenSSL

/// The derivation of keys by HKDF with SHA-256 (RFC 5869).
enum HKDF {
    // OpenSSL counts references to it atomically and never changes it.
    nonisolated(unsafe) private static let algorithm = EVP_KDF_fetch(nil, "HKDF", nil)

    /// Key material of a length of at most 255 hashes.
    static func derive(from key: [UInt8], salt: [UInt8], info: [UInt8], bytes: Int) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: bytes) { derived, count in
            let code = COpenSSL_deriveHKDF(
                algorithm, key, key.count, salt, salt.count, info, info.count, derived.baseAddress, bytes)
            OpenSSL.require(code == 1, "derive a key")
            count = bytes
        }
    }
}
