package import JSON

/// A page of a device's feed.
package struct NotificationPage: Sendable {
    /// The notifications as the service's JSON, oldest first.
    package var json: [JSONValue]
    /// The change token of the next page.
    package var token: String
    /// True if the next page already has entries.
    package var moreComing: Bool
}
