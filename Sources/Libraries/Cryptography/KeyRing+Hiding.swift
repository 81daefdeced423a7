import COpenSSL
package import TextForms

extension KeyRing {
    private static let nonceBytes = 16

    /// A sealed token whose payload its holder cannot read either: AES-256 in counter mode under a key of the purpose's
    /// own, and the token's code over that. Two tokens of one payload differ.
    package func sealHidden(_ payload: [UInt8], purpose: String, as form: Base64 = .url) -> String {
        let nonce = SecureRandom.bytes(count: Self.nonceBytes)
        let alone = KeyRing(content)
        return alone.seal(nonce + Self.crypt(payload, nonce, alone.current, purpose), purpose: purpose, as: form)
    }

    /// The payload of a token of `sealHidden`.
    package func openHidden(_ token: String, purpose: String) throws(SealedTokenError) -> [UInt8] {
        let alone = KeyRing(content)
        let content = try alone.open(token, purpose: purpose)
        guard let key = try alone.content.keys[SealedToken(token).keyName], content.count >= Self.nonceBytes else {
            throw .malformed
        }
        return Self.crypt(
            Array(content.dropFirst(Self.nonceBytes)), Array(content.prefix(Self.nonceBytes)), key, purpose)
    }

    /// Its own inverse.
    static func crypt(_ bytes: [UInt8], _ nonce: [UInt8], _ key: SecretKey, _ purpose: String) -> [UInt8] {
        let key = HMACSHA256(key: key.bytes).code(for: Array("hide ".utf8) + Array(purpose.utf8))
        let context = EVP_CIPHER_CTX_new()
        OpenSSL.require(context != nil, "make a cipher's context")
        defer { EVP_CIPHER_CTX_free(context) }
        OpenSSL.require(EVP_EncryptInit_ex(context, EVP_aes_256_ctr(), nil, key, nonce) == 1, "begin a cipher")
        return [UInt8](unsafeUninitializedCapacity: bytes.count) { result, count in
            var written: Int32 = 0
            let updated = bytes.withUnsafeBufferPointer {
                $0.isEmpty
                    ? 1 : EVP_EncryptUpdate(context, result.baseAddress, &written, $0.baseAddress, Int32($0.count))
            }
            OpenSSL.require(updated == 1, "encrypt")
            count = Int(written)
        }
    }
}
