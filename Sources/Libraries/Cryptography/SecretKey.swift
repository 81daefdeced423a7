/// 32 secret bytes for authentication codes, which no description and no dump shows.
package struct SecretKey: Sendable {
    /// The length of a key, in bytes.
    package static let bytes = 32

    let bytes: [UInt8]
    /// The codes under this key.
    package let mac: HMACSHA256

    /// A key of bytes that were kept; nil if they are not 32.
    package init?(bytes: [UInt8]) {
        guard bytes.count == Self.bytes else { return nil }
        self.bytes = bytes
        mac = HMACSHA256(key: bytes)
    }

    private init() {
        bytes = SecureRandom.bytes(count: Self.bytes)
        mac = HMACSHA256(key: bytes)
    }

    /// A new key.
    package static func random() -> SecretKey { SecretKey() }
}

extension SecretKey: Equatable {
    /// Returns true if both are the same key, in constant time.
    package static func == (left: SecretKey, right: SecretKey) -> Bool {
        ConstantTime.areEqual(left.bytes, right.bytes)
    }
}

extension SecretKey: CustomStringConvertible, CustomReflectable {
    /// No part of the key.
    package var description: String { "SecretKey" }
    /// No part of the key.
    package var customMirror: Mirror { Mirror(self, children: []) }
}
