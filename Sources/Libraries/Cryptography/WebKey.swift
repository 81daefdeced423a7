import CCJose
import COpenSSL

/// A public key of an issuer of tokens, from a JSON Web Key (RFC 7517), for one algorithm. Any thread may use one at
/// any time.
package struct WebKey: Sendable {
    /// The algorithms that tokens may be signed with: nothing symmetric, no `none`.
    package enum Algorithm: String, Sendable, CaseIterable {
        case rs256 = "RS256"
        case es256 = "ES256"
    }

    /// The algorithm that the key was taken in for.
    package let algorithm: Algorithm
    private let key: Key

    // `@unchecked Sendable`: cjose only reads a key once it is made, and OpenSSL allows that on several threads.
    private final class Key: @unchecked Sendable {
        let key: OpaquePointer

        init(owning key: OpaquePointer) { self.key = key }

        deinit { cjose_jwk_release(key) }
    }

    /// The key of a JSON object; nil if the algorithm does not take it: RSA with 2,048 bits or more, or the curve
    /// P-256.
    package init?(json: [UInt8], for algorithm: Algorithm) {
        var error = cjose_err()
        let found = json.withUnsafeBytes {
            cjose_jwk_import($0.baseAddress?.assumingMemoryBound(to: CChar.self), $0.count, &error)
        }
        guard let found else {
            ERR_clear_error()
            return nil
        }
        key = Key(owning: found)
        self.algorithm = algorithm
        let kind = cjose_jwk_get_kty(found, &error)
        let isFit =
            switch algorithm {
            case .rs256: kind == CJOSE_JWK_KTY_RSA && cjose_jwk_get_keysize(found, &error) >= 2048
            case .es256: kind == CJOSE_JWK_KTY_EC && cjose_jwk_EC_get_curve(found, &error) == CJOSE_JWK_EC_P_256
            }
        ERR_clear_error()
        guard isFit else { return nil }
    }

    /// The payload of a token in compact form, if the key has signed it with its algorithm; nil otherwise.
    /// - Precondition: the caller has checked that `alg` in the token's header is `algorithm`: cjose goes by the
    ///   header.
    package func payload(of token: WebToken) -> [UInt8]? {
        var error = cjose_err()
        var text = token.text
        let signed = text.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) { cjose_jws_import($0.baseAddress, $0.count, &error) }
        }
        guard let signed else {
            ERR_clear_error()
            return nil
        }
        defer { cjose_jws_release(signed) }
        var payload: UnsafeMutablePointer<UInt8>?
        var count = 0
        // The payload stays cjose's.
        guard cjose_jws_verify(signed, key.key, &error),
            cjose_jws_get_plaintext(signed, &payload, &count, &error), let payload
        else {
            ERR_clear_error()
            return nil
        }
        return Array(UnsafeBufferPointer(start: payload, count: count))
    }
}
