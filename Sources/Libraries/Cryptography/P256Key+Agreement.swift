import COpenSSL

extension P256Key {
    /// The length of an uncompressed point, in bytes.
    static let pointBytes = 65

    /// The public key of an uncompressed point; nil if the bytes are no point of the curve.
    convenience init?(point: [UInt8]) {
        // OpenSSL would also read compressed and hybrid forms, which Web Push does not have.
        guard point.count == Self.pointBytes, point[0] == 4 else { return nil }
        guard let found = COpenSSL_readPoint(point) else {
            ERR_clear_error()
            return nil
        }
        self.init(owning: found)
    }

    /// The public key as an uncompressed point.
    var point: [UInt8] {
        [UInt8](unsafeUninitializedCapacity: Self.pointBytes) { point, count in
            OpenSSL.require(COpenSSL_writePoint(key, point.baseAddress) == 1, "write a point")
            count = Self.pointBytes
        }
    }

    /// The 32 bytes that this private key and the other's private key have in common.
    /// - Parameter other: of `init(point:)`.
    func agreement(with other: P256Key) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: 32) { secret, count in
            OpenSSL.require(COpenSSL_agree(key, other.key, secret.baseAddress) == 1, "agree on a secret")
            count = 32
        }
    }
}
