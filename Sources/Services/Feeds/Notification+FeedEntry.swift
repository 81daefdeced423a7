package import CloudMessages
package import CloudModel

extension Notification {
    /// Makes the notification that a device reads from an entry; nil for entries that are none (registrations, the
    /// badge).
    package init?(_ entry: FeedEntry) {
        let user = UserRecordName(trusted: entry.user)
        switch entry.entry {
        case .query(let message)?:
            guard let content = QueryContent(message, user: user) else { return nil }
            self.init(
                subject: NotificationSubject(user: user, change: CommitSequence(message.change)),
                content: .query(content),
                changed: Timestamp(milliseconds: entry.time))
        case .omitted(let message)?:
            guard let content = OmittedContent(message) else { return nil }
            self.init(
                subject: NotificationSubject(user: user, change: CommitSequence(message.change)),
                content: .omitted(content),
                changed: Timestamp(milliseconds: entry.time))
        case .read(let mark)?:
            self.init(
                subject: NotificationSubject(user: user, change: CommitSequence(mark.change)), content: .read,
                changed: Timestamp(milliseconds: entry.time))
        case .badge?, .registered?, .unregistered?, nil: return nil
        }
    }
}
