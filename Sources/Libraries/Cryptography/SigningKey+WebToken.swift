import COpenSSL
import TextForms

extension SigningKey {
    /// The public key as an uncompressed point, 65 bytes.
    package var publicPoint: [UInt8] { key.point }

    /// The signature of a message as r ‖ s, 64 bytes: the form of web tokens.
    package func rawSignature(of message: [UInt8]) -> [UInt8] {
        let signature = signature(of: message)
        return [UInt8](unsafeUninitializedCapacity: 64) { raw, count in
            let code = COpenSSL_writeRawSignature(signature, signature.count, raw.baseAddress)
            OpenSSL.require(code == 1, "read its own signature")
            count = 64
        }
    }

    /// A token in compact form (RFC 7515).
    /// - Parameters:
    ///   - header: a JSON object whose `alg` is `ES256`.
    ///   - payload: a JSON object.
    package func webToken(header: [UInt8], payload: [UInt8]) -> String {
        let signed = "\(Base64.url.encode(header)).\(Base64.url.encode(payload))"
        return "\(signed).\(Base64.url.encode(rawSignature(of: Array(signed.utf8))))"
    }
}
