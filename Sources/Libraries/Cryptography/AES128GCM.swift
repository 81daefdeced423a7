import COpenSSL

/// Authenticated encryption by AES-128-GCM. A pair of key and nonce is for one message.
enum AES128GCM {
    // OpenSSL counts references to it atomically and never changes it.
    nonisolated(unsafe) private static let algorithm = EVP_CIPHER_fetch(nil, "AES-128-GCM", nil)

    /// The ciphertext, and its tag of 16 bytes.
    /// - Parameters:
    ///   - key: 16 bytes.
    ///   - nonce: 12 bytes.
    static func seal(_ content: [UInt8], key: [UInt8], nonce: [UInt8]) -> [UInt8] {
        precondition(key.count == 16 && nonce.count == 12, "AES-128-GCM has keys of 16 bytes and nonces of 12")
        return [UInt8](unsafeUninitializedCapacity: content.count + 16) { sealed, count in
            let code = COpenSSL_sealGCM(algorithm, key, nonce, content, Int32(content.count), sealed.baseAddress)
            OpenSSL.require(code == 1, "encrypt")
            count = content.count + 16
        }
    }
}
