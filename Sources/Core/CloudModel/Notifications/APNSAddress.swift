/// A device of Apple's.
package struct APNSAddress: Hashable, Sendable {
    /// The token that the system gives the app (`didRegisterForRemoteNotifications`): 32 to 100 bytes.
    package var token: [UInt8]
    /// The environment of the app's signature, which need not be the container's.
    package var environment: APNSEnvironment
    /// The app's bundle ID; nil for the container's default.
    package var topic: String?
    /// True if a silent push is sent in place of several that waited, instead of the newest that shows something.
    package var isSilentWhenBehind: Bool

    package init(
        token: [UInt8], environment: APNSEnvironment, topic: String? = nil, isSilentWhenBehind: Bool = false
    ) {
        self.token = token
        self.environment = environment
        self.topic = topic
        self.isSilentWhenBehind = isSilentWhenBehind
    }
}
