package import JSON

/// One answer of a device's feed.
package struct NotificationPage: Sendable {
    /// The notifications as the service wrote them, oldest first.
    package var json: [JSONValue]
    /// The change token to ask with for what comes after them.
    package var token: String
    /// True if there is more already.
    package var moreComing: Bool
}
