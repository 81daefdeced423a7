import COpenSSL

/// A public key of the curve P-256, which verifies signatures by ECDSA over SHA-256. Any thread may use one at any
/// time.
package struct VerifyingKey: Sendable {
    private let key: P256Key

    /// The key of a PEM text (`PUBLIC KEY`).
    package init(pem: String) throws(P256KeyError) { key = try P256Key(pem: pem, isPrivate: false) }

    /// Returns true if the signature, ASN.1 DER, is the key's of that message; false for bytes that are no signature at
    /// all.
    package func isValid(_ signature: [UInt8], for message: [UInt8]) -> Bool {
        let context = EVP_MD_CTX_new()
        OpenSSL.require(context != nil, "make a context")
        defer { EVP_MD_CTX_free(context) }
        OpenSSL.require(EVP_DigestVerifyInit(context, nil, EVP_sha256(), nil, key.key) == 1, "begin to verify")
        let code = signature.withUnsafeBufferPointer { signature in
            message.withUnsafeBufferPointer { message in
                EVP_DigestVerify(context, signature.baseAddress, signature.count, message.baseAddress, message.count)
            }
        }
        // 0 is a wrong signature, below 0 one that cannot be read: 1 alone is a right one.
        guard code == 1 else {
            ERR_clear_error()
            return false
        }
        return true
    }
}
