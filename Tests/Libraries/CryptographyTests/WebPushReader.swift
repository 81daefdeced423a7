import COpenSSL
import Cryptography
import TextForms

/// A receiver of Web Push messages, by RFC 8291 and RFC 8188 over OpenSSL alone: it has no code in common with
/// `WebPushEncryption`.
struct WebPushReader {
    /// The private key as PEM.
    let pem: String
    /// The subscription's secret.
    let secret: [UInt8]
    /// The public key, 65 bytes.
    let point: [UInt8]

    /// A receiver with a new key.
    init(secret: [UInt8]) {
        let key = SigningKey.generate()
        (pem, point, self.secret) = (key.pem, key.publicPoint, secret)
    }

    /// A receiver whose private key is a number of 32 bytes.
    init(scalar: [UInt8], point: [UInt8], secret: [UInt8]) {
        (pem, self.point, self.secret) = (Self.pem(scalar: scalar), point, secret)
    }

    /// The PEM (`EC PRIVATE KEY`, RFC 5915) of a private key on P-256 that is a number of 32 bytes.
    /// - Parameter compressed: the public point in 33 bytes; none leaves it out.
    static func pem(scalar: [UInt8], compressed: [UInt8] = []) -> String {
        let curve: [UInt8] = [0xa0, 0x0a, 0x06, 0x08, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x03, 0x01, 0x07]
        let publicPart = compressed.isEmpty ? [] : [0xa1, 0x24, 0x03, 0x22, 0x00] + compressed
        let length = UInt8(0x31 + publicPart.count)
        let der: [UInt8] = [0x30, length, 0x02, 0x01, 0x01, 0x04, 0x20] + scalar + curve + publicPart
        return "-----BEGIN EC PRIVATE KEY-----\n\(Base64.standard.encode(der))\n-----END EC PRIVATE KEY-----\n"
    }

    /// The content of a message of one record; nil for any other bytes, and for messages to others.
    func content(of message: [UInt8]) -> [UInt8]? {
        guard message.count >= 86 + 17, message[20] == 65 else { return nil }
        let size = message[16..<20].reduce(0) { $0 << 8 | Int($1) }
        let salt = Array(message[..<16])
        let sender = Array(message[21..<86])
        let record = Array(message[86...])
        guard size >= 18, record.count <= size, let shared = agreement(with: sender) else { return nil }
        let first = Self.mac(secret, shared)
        let material = Self.mac(first, Array("WebPush: info\0".utf8) + point + sender + [1])
        let second = Self.mac(salt, material)
        let key = Self.mac(second, Array("Content-Encoding: aes128gcm\0".utf8) + [1]).prefix(16)
        let nonce = Self.mac(second, Array("Content-Encoding: nonce\0".utf8) + [1]).prefix(12)
        guard let padded = Self.open(record, Array(key), Array(nonce)),
            let end = padded.lastIndex(where: { $0 != 0 }), padded[end] == 2
        else { return nil }
        return Array(padded[..<end])
    }

    private func agreement(with sender: [UInt8]) -> [UInt8]? {
        // A SubjectPublicKeyInfo of P-256 ends with the point.
        let head: [UInt8] = [
            0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01, 0x06, 0x08, 0x2a, 0x86, 0x48,
            0xce, 0x3d, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00,
        ]
        let der = head + sender
        let input = BIO_new_mem_buf(pem, Int32(pem.utf8.count))
        defer { BIO_free(input) }
        let own = PEM_read_bio_PrivateKey(input, nil, nil, nil)
        let other = der.withUnsafeBufferPointer { bytes in
            var start = bytes.baseAddress
            return d2i_PUBKEY(nil, &start, bytes.count)
        }
        defer {
            EVP_PKEY_free(own)
            EVP_PKEY_free(other)
            ERR_clear_error()
        }
        guard let own, let other else { return nil }
        let context = EVP_PKEY_CTX_new(own, nil)
        defer { EVP_PKEY_CTX_free(context) }
        var secret = [UInt8](repeating: 0, count: 32)
        var count = secret.count
        guard EVP_PKEY_derive_init(context) == 1, EVP_PKEY_derive_set_peer(context, other) == 1,
            EVP_PKEY_derive(context, &secret, &count) == 1, count == 32
        else { return nil }
        return secret
    }

    private static func mac(_ key: [UInt8], _ message: [UInt8]) -> [UInt8] {
        var code = [UInt8](repeating: 0, count: 32)
        var count = 0
        let found = EVP_Q_mac(
            nil, "HMAC", nil, "SHA256", nil, key, key.count, message, message.count, &code, code.count, &count)
        return found == nil ? [] : code
    }

    private static func open(_ record: [UInt8], _ key: [UInt8], _ nonce: [UInt8]) -> [UInt8]? {
        let context = EVP_CIPHER_CTX_new()
        defer {
            EVP_CIPHER_CTX_free(context)
            ERR_clear_error()
        }
        var tag = Array(record.suffix(16))
        let sealed = Array(record.dropLast(16))
        var content = [UInt8](repeating: 0, count: sealed.count)
        var written: Int32 = 0
        var rest: Int32 = 0
        guard EVP_DecryptInit_ex(context, EVP_aes_128_gcm(), nil, key, nonce) == 1,
            EVP_DecryptUpdate(context, &content, &written, sealed, Int32(sealed.count)) == 1,
            EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, 16, &tag) == 1
        else { return nil }
        return EVP_DecryptFinal_ex(context, nil, &rest) == 1 ? content : nil
    }
}
