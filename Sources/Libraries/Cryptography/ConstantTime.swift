import COpenSSL

/// Comparisons that take the same time whatever the bytes are, so that nobody learns a secret by measuring.
package enum ConstantTime {
    /// Returns true if both are the same bytes; their lengths are no secret.
    package static func areEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        left.count == right.count && CRYPTO_memcmp(left, right, left.count) == 0
    }
}
