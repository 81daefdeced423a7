import COpenSSL

/// The hash function SHA-256.
package enum SHA256 {
    /// How many bytes a hash has.
    package static let bytes = 32

    /// Fetched once: finding it by name costs more than hashing a hundred bytes.
    // OpenSSL counts references to it atomically and never changes it.
    nonisolated(unsafe) private static let algorithm = EVP_MD_fetch(nil, "SHA256", nil)

    /// The 32 bytes of the message's hash.
    package static func hash(_ message: [UInt8]) -> [UInt8] { message.withUnsafeBytes { hash($0) } }

    /// The 32 bytes of the message's hash.
    package static func hash(_ message: UnsafeRawBufferPointer) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: bytes) { hash, count in
            let code = EVP_Digest(message.baseAddress, message.count, hash.baseAddress, nil, algorithm, nil)
            OpenSSL.require(code == 1, "hash")
            count = bytes
        }
    }
}
