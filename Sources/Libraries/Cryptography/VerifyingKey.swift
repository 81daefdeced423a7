import COpenSSL
import TextForms

/// A public key of the curve P-256, which verifies signatures by ECDSA over SHA-256. Any thread may use one at any
/// time.
package struct VerifyingKey: Sendable {
    private let key: P256Key

    /// The key of a PEM text (`PUBLIC KEY`).
    package init(pem: String) throws(P256KeyError) { key = try P256Key(pem: pem, isPrivate: false) }

    /// Returns true if the bytes are a point on the curve in its uncompressed form: 65 bytes that begin with 4.
    package static func isPoint(_ bytes: [UInt8]) -> Bool {
        guard bytes.count == 65, bytes[0] == 4 else { return false }
        let text = Base64.standard.encode(pointPrefix + bytes)
        return (try? VerifyingKey(pem: "-----BEGIN PUBLIC KEY-----\n\(text)\n-----END PUBLIC KEY-----\n")) != nil
    }

    /// The ASN.1 of a public key of this curve before its point.
    private static let pointPrefix: [UInt8] = [
        0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01, 0x06, 0x08, 0x2a, 0x86, 0x48,
        0xce, 0x3d, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00,
    ]

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
