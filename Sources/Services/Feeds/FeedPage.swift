package import CloudModel

/// One answer to a reader.
package struct FeedPage: Sendable {
    /// A notification, and where to read on after it.
    package struct Item: Sendable {
        /// The notification.
        package var notification: Notification
        /// The place to read on from after it.
        package var place: FeedPosition
    }

    /// The notifications, oldest first.
    package var items: [Item]
    /// The position to continue from: behind every entry that was read, also those that are no notifications.
    package var place: FeedPosition
    /// True if there is more already.
    package var moreComing: Bool

    /// The notifications alone.
    package var notifications: [Notification] { items.map(\.notification) }
}
