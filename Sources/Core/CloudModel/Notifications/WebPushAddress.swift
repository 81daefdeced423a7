/// A subscription of a browser or of UnifiedPush, RFC 8030.
package struct WebPushAddress: Hashable, Sendable {
    /// An `https` URL.
    package var endpoint: String
    /// `p256dh`: an uncompressed point on P-256, 65 bytes.
    package var publicKey: [UInt8]
    /// `auth`: 16 bytes.
    package var authentication: [UInt8]
    /// The VAPID public key that the subscription was made with, 65 bytes: it is bound to it for its life.
    package var serverKey: [UInt8]
    /// `expirationTime`; nil where the browser gives none.
    package var expires: Timestamp?
    /// True if pushes that show nothing are sent as well.
    package var takesSilent: Bool
    /// True if a silent push is sent in place of several that waited, instead of the newest that shows something.
    package var isSilentWhenBehind: Bool

    package init(
        endpoint: String, publicKey: [UInt8], authentication: [UInt8], serverKey: [UInt8], expires: Timestamp? = nil,
        takesSilent: Bool = false, isSilentWhenBehind: Bool = false
    ) {
        self.endpoint = endpoint
        self.publicKey = publicKey
        self.authentication = authentication
        self.serverKey = serverKey
        self.expires = expires
        self.takesSilent = takesSilent
        self.isSilentWhenBehind = isSilentWhenBehind
    }
}
