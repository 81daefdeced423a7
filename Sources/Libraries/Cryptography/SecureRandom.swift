import COpenSSL

/// Bytes that nobody can guess.
package enum SecureRandom {
    /// So many bytes of OpenSSL's generator; ends the program if the system gives it no entropy.
    package static func bytes(count: Int) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: count) { bytes, initialized in
            OpenSSL.require(RAND_bytes(bytes.baseAddress, CInt(count)) == 1, "make random bytes")
            initialized = count
        }
    }
}
