package import CloudModel

/// One answer to a reader.
package struct FeedPage: Sendable {
    /// A notification, and where to read on after it.
    package struct Item: Sendable {
        /// The notification.
        package var notification: Notification
        /// Where to read on after it.
        package var place: FeedPosition
    }

    /// The notifications, oldest first.
    package var items: [Item]
    /// Where to read on: behind everything that was looked at, also what is no notification.
    package var place: FeedPosition
    /// Whether there is more already.
    package var moreComing: Bool

    /// The notifications alone.
    package var notifications: [Notification] { items.map(\.notification) }
}
