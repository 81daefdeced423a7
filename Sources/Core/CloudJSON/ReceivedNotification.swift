package import CloudModel

/// A notification as a device reads it: with the opaque form of its subject.
package struct ReceivedNotification: Hashable, Sendable {
    /// The notification's ID, the same on all devices of the user.
    package var id: String
    /// The content. Notifications of zones and databases have no record and no reason: names are empty then, the reason
    /// is `.updated`.
    package var content: Notification.Content
    /// The time at which the change was committed, or the notification marked.
    package var changed: Timestamp

    package init(id: String, content: Notification.Content, changed: Timestamp) {
        self.id = id
        self.content = content
        self.changed = changed
    }
}
