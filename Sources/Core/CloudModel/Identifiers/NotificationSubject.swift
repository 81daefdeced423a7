/// The subject of a notification before it is sealed into an ID: its user and the change that caused it.
///
/// One change that hits several of a user's subscriptions gives the same ID each time, as in CloudKit
/// (docs/cloudkit.md#delivery-rules).
package struct NotificationSubject: Hashable, Sendable {
    /// The user whom the notification is for.
    package var user: UserRecordName
    /// The change that caused it.
    package var change: CommitSequence

    package init(user: UserRecordName, change: CommitSequence) {
        self.user = user
        self.change = change
    }
}
