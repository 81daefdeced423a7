import COpenSSL

/// A private key of the curve P-256, which signs by ECDSA over SHA-256. Any thread may use one at any time.
package struct SigningKey: Sendable, CustomStringConvertible, CustomReflectable {
    let key: P256Key

    private init(_ key: P256Key) { self.key = key }

    /// A new key.
    package static func generate() -> SigningKey {
        let key = COpenSSL_makeP256()
        OpenSSL.require(key != nil, "make a P-256 key")
        return SigningKey(P256Key(owning: key!))
    }

    /// The key of a PEM text without a password (`PRIVATE KEY` or `EC PRIVATE KEY`).
    package init(pem: String) throws(P256KeyError) { key = try P256Key(pem: pem, isPrivate: true) }

    /// The private key as PEM (`PRIVATE KEY`): a secret.
    package var pem: String { key.pem(isPrivate: true) }

    /// The public key as PEM (`PUBLIC KEY`).
    package var publicKeyPEM: String { key.pem(isPrivate: false) }

    /// The signature of a message, ASN.1 DER.
    package func signature(of message: [UInt8]) -> [UInt8] {
        let context = EVP_MD_CTX_new()
        OpenSSL.require(context != nil, "make a context")
        defer { EVP_MD_CTX_free(context) }
        OpenSSL.require(EVP_DigestSignInit(context, nil, EVP_sha256(), nil, key.key) == 1, "begin a signature")
        return [UInt8](unsafeUninitializedCapacity: 80) { signature, count in
            count = signature.count
            let code = message.withUnsafeBufferPointer {
                EVP_DigestSign(context, signature.baseAddress, &count, $0.baseAddress, $0.count)
            }
            OpenSSL.require(code == 1, "sign")
        }
    }

    /// No part of the key.
    package var description: String { "SigningKey" }
    /// No part of the key.
    package var customMirror: Mirror { Mirror(self, children: []) }
}
