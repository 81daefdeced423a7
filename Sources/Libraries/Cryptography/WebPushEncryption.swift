import COpenSSL

/// Encrypts the contents of Web Push messages for one subscription: RFC 8291, in one record of RFC 8188
/// (`aes128gcm`). A message costs three multiplications of points: call it on threads for long work. Any thread may use
/// one at any time.
package struct WebPushEncryption: Sendable {
    /// The bytes of a message that a push service has to take: its header and its record.
    package static let messageBytesMax = 4096
    /// The bytes of a content that fits into such a message.
    package static let contentBytesMax = messageBytesMax - headerBytes - 1 - tagBytes
    /// The length of a subscription's secret, in bytes.
    package static let secretBytes = 16

    private static let saltBytes = 16
    private static let tagBytes = 16
    private static let headerBytes = saltBytes + 4 + 1 + P256Key.pointBytes

    private let receiver: P256Key
    private let receiverPoint: [UInt8]
    private let secret: [UInt8]

    /// Takes in the keys of a subscription.
    /// - Parameters:
    ///   - receiver: `p256dh`: an uncompressed point on P-256, 65 bytes.
    ///   - secret: `auth`: 16 bytes.
    package init(receiver: [UInt8], secret: [UInt8]) throws(WebPushEncryptionError) {
        guard let key = P256Key(point: receiver) else { throw .malformedKey }
        guard secret.count == Self.secretBytes else { throw .malformedSecret }
        self.receiver = key
        receiverPoint = receiver
        self.secret = secret
    }

    /// The body of a message whose `Content-Encoding` is `aes128gcm`, at most `messageBytesMax` bytes. Two of one
    /// content differ: each has its own key and salt.
    /// - Parameter content: at most `contentBytesMax` bytes.
    package func encrypt(_ content: [UInt8]) throws(WebPushEncryptionError) -> [UInt8] {
        try encrypt(content, sender: SigningKey.generate(), salt: SecureRandom.bytes(count: Self.saltBytes))
    }

    /// The message under a given key of the sender and a given salt: both are used once only.
    func encrypt(
        _ content: [UInt8], sender: SigningKey, salt: [UInt8]
    ) throws(WebPushEncryptionError) -> [UInt8] {
        guard content.count <= Self.contentBytesMax else { throw .tooLarge(bytes: content.count) }
        let senderPoint = sender.publicPoint
        let material = HKDF.derive(
            from: sender.key.agreement(with: receiver), salt: secret,
            info: Array("WebPush: info\0".utf8) + receiverPoint + senderPoint, bytes: 32)
        let key = HKDF.derive(from: material, salt: salt, info: Self.keyInfo, bytes: 16)
        let nonce = HKDF.derive(from: material, salt: salt, info: Self.nonceInfo, bytes: 12)
        var message = salt
        message.reserveCapacity(Self.headerBytes + content.count + 1 + Self.tagBytes)
        withUnsafeBytes(of: UInt32(Self.messageBytesMax).bigEndian) { message += $0 }
        message.append(UInt8(senderPoint.count))
        message += senderPoint
        // 2 ends the content of the last record.
        return message + AES128GCM.seal(content + [2], key: key, nonce: nonce)
    }

    private static let keyInfo = Array("Content-Encoding: aes128gcm\0".utf8)
    private static let nonceInfo = Array("Content-Encoding: nonce\0".utf8)
}

/// The reason why a content was not encrypted.
package enum WebPushEncryptionError: Error, Equatable, CustomStringConvertible {
    /// The receiver's key is no uncompressed point on P-256.
    case malformedKey
    /// The receiver's secret has not 16 bytes.
    case malformedSecret
    /// The content has more than `WebPushEncryption.contentBytesMax` bytes.
    case tooLarge(bytes: Int)

    /// One sentence.
    package var description: String {
        switch self {
        case .malformedKey: "the key is no uncompressed point on P-256 of 65 bytes"
        case .malformedSecret: "the secret has not \(WebPushEncryption.secretBytes) bytes"
        case .tooLarge(let bytes):
            "the content has \(bytes) bytes, \(WebPushEncryption.contentBytesMax) are the most"
        }
    }
}
