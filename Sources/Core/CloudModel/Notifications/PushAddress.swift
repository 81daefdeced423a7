/// The address to which a device's pushes of one kind are sent.
package enum PushAddress: Hashable, Sendable {
    case apns(APNSAddress)
    case webPush(WebPushAddress)
    case webhook(WebhookAddress)

    /// The kind under which devices are registered.
    package var kind: CourierKind {
        switch self {
        case .apns: .apns
        case .webPush: .webPush
        case .webhook: .webhook
        }
    }
}

/// A device of Apple's.
package struct APNSAddress: Hashable, Sendable {
    /// What the app's `didRegisterForRemoteNotifications` gives: 32 to 100 bytes.
    package var token: [UInt8]
    /// The environment of the app's signature, which need not be the container's.
    package var environment: APNSEnvironment
    /// The app's bundle ID; nil for the container's default.
    package var topic: String?

    package init(token: [UInt8], environment: APNSEnvironment, topic: String? = nil) {
        self.token = token
        self.environment = environment
        self.topic = topic
    }
}

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

    package init(
        endpoint: String, publicKey: [UInt8], authentication: [UInt8], serverKey: [UInt8], expires: Timestamp? = nil,
        takesSilent: Bool = false
    ) {
        self.endpoint = endpoint
        self.publicKey = publicKey
        self.authentication = authentication
        self.serverKey = serverKey
        self.expires = expires
        self.takesSilent = takesSilent
    }
}

/// A server that is sent signed requests.
package struct WebhookAddress: Hashable, Sendable {
    /// An `https` URL.
    package var url: String
    /// The keys that sign: several during a rotation, the newest first. Each has 24 to 64 bytes.
    package var secrets: [[UInt8]]

    package init(url: String, secrets: [[UInt8]]) {
        self.url = url
        self.secrets = secrets
    }
}

/// What pushes to an address may have of a notification.
package enum PushContents: String, CaseIterable, Sendable {
    /// All that fits.
    case full
    /// IDs and a localisation key: no value of a record.
    case none
}
