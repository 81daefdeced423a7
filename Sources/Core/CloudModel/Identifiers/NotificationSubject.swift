/// The subject of a notification before it is sealed into an ID: the user it is for and the change that caused it.
///
/// One change that hits several of a user's subscriptions gives the same ID each time, as CloudKit does (spec section 3.4).
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
