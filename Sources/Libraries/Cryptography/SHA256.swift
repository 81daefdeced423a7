import COpenSSL

#if canImport(Glibc)
    import Glibc
#endif

/// The hash function SHA-256.
package enum SHA256 {
    /// The length of a hash, in bytes.
    package static let bytes = 32

    /// Fetched once: finding it by name costs more than hashing a hundred bytes.
    // OpenSSL counts references to it atomically and never changes it.
    nonisolated(unsafe) private static let algorithm = EVP_MD_fetch(nil, "SHA256", nil)

    /// The 32 bytes of the message's hash.
    package static func hash(_ message: [UInt8]) -> [UInt8] { message.withUnsafeBytes { hash($0) } }

    /// The 32 bytes of the message's hash.
    package static func hash(_ message: UnsafeRawBufferPointer) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: bytes) { hash, count in
            let code = EVP_Digest(message.baseAddress, message.count, hash.baseAddress, nil, algorithm, nil)
            OpenSSL.require(code == 1, "hash")
            count = bytes
        }
    }
}

extension SHA256 {
    /// A hash of bytes that come in parts.
    package struct Running: ~Copyable, @unchecked Sendable {
        private let context: OpaquePointer

        package init() {
            let context = EVP_MD_CTX_new()
            OpenSSL.require(context != nil, "make a context")
            OpenSSL.require(EVP_DigestInit_ex2(context, algorithm, nil) == 1, "begin a hash")
            self.context = context!
        }

        deinit { EVP_MD_CTX_free(context) }

        /// Takes in the next bytes.
        package mutating func update(_ part: UnsafeRawBufferPointer) {
            OpenSSL.require(EVP_DigestUpdate(context, part.baseAddress, part.count) == 1, "take in a part")
        }

        /// Takes in the next bytes.
        package mutating func update(_ part: [UInt8]) { part.withUnsafeBytes { update($0) } }

        /// The 32 bytes of the hash.
        package consuming func finish() -> [UInt8] {
            [UInt8](unsafeUninitializedCapacity: SHA256.bytes) { hash, count in
                OpenSSL.require(EVP_DigestFinal_ex(context, hash.baseAddress, nil) == 1, "end a hash")
                count = SHA256.bytes
            }
        }
    }

    /// The hash and size in bytes of a file's content from its current offset; nil if it cannot be read (see `errno`).
    /// Waits for the disk.
    package static func hash(fileDescriptor: Int32) -> (hash: [UInt8], bytes: Int64)? {
        var running = Running()
        var part = [UInt8](repeating: 0, count: 256 << 10)
        var bytes: Int64 = 0
        while true {
            let count = read(fileDescriptor, &part, part.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { return nil }
            if count == 0 { break }
            bytes += Int64(count)
            part.withUnsafeBytes { running.update(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
        }
        return (running.finish(), bytes)
    }
}
