import COpenSSL

/// Message authentication codes by HMAC with SHA-256 under one key. Any thread may use one at any time.
package struct HMACSHA256: Sendable {
    /// The length of a code, in bytes.
    package static let bytes = 32

    private let keyed: KeyedContext

    /// Takes in a key of any length; nothing keeps the array.
    package init(key: [UInt8]) {
        keyed = KeyedContext(key: key)
    }

    /// The 32 bytes of the message's code.
    package func code(for message: [UInt8]) -> [UInt8] { keyed.code(for: message) }

    /// Returns true if the code, of which the first bytes may be given alone, is the message's; takes the same time
    /// wherever they differ. Fewer than 8 bytes are never a code.
    package func isValid(_ code: [UInt8], for message: [UInt8]) -> Bool {
        guard (8...Self.bytes).contains(code.count) else { return false }
        return ConstantTime.areEqual(Array(self.code(for: message).prefix(code.count)), code)
    }
}

/// OpenSSL's context with the key, which is copied for every message: half the price of keying again.
// `@unchecked Sendable`: after `init` the context is only copied from, which OpenSSL allows on several threads.
private final class KeyedContext: @unchecked Sendable {
    private let context: OpaquePointer

    init(key: [UInt8]) {
        let context = key.withUnsafeBufferPointer { bytes in
            // OpenSSL takes no address at all for "the key that was set before".
            var empty: UInt8 = 0
            return bytes.baseAddress.map { COpenSSL_HMACSHA256($0, bytes.count) } ?? COpenSSL_HMACSHA256(&empty, 0)
        }
        OpenSSL.require(context != nil, "make a MAC's context")
        self.context = context!
    }

    deinit { EVP_MAC_CTX_free(context) }

    func code(for message: [UInt8]) -> [UInt8] {
        // Inside, so that this object and its context live until the copy is made.
        withExtendedLifetime(self) {
            let copy = EVP_MAC_CTX_dup(context)
            OpenSSL.require(copy != nil, "copy a MAC's context")
            defer { EVP_MAC_CTX_free(copy) }
            return [UInt8](unsafeUninitializedCapacity: HMACSHA256.bytes) { code, count in
                let updated = message.withUnsafeBufferPointer { EVP_MAC_update(copy, $0.baseAddress, $0.count) }
                OpenSSL.require(updated == 1, "take in a message")
                OpenSSL.require(EVP_MAC_final(copy, code.baseAddress, &count, code.count) == 1, "end a MAC")
            }
        }
    }
}
