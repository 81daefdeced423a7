/// A server that is sent signed requests.
package struct WebhookAddress: Hashable, Sendable {
    /// An `https` URL.
    package var url: String
    /// The keys that sign: several during a rotation, the newest first. Each has 24 to 64 bytes.
    package var secrets: [[UInt8]]
    /// True if a silent push is sent in place of several that waited, instead of the newest that shows something.
    package var isSilentWhenBehind: Bool

    package init(url: String, secrets: [[UInt8]], isSilentWhenBehind: Bool = false) {
        self.url = url
        self.secrets = secrets
        self.isSilentWhenBehind = isSilentWhenBehind
    }
}
