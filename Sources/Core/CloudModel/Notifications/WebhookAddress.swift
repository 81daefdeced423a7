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
