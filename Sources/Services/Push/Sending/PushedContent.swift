import CloudMessages
import CloudModel
import EventLog
import ProtocolBuffers

/// The content of an entry of `pushes` for push senders.
enum PushedContent {
    /// A notification, without a badge.
    case notification(Notification)
    /// Notifications that were left out.
    case omitted(Notification)
    /// The changes whose notifications were read.
    case read([Int64])
    /// The badge of the targets was set.
    case badge

    /// Reads an entry; nil for one that has no content, and for what a later version may add.
    /// - Throws: `MalformedMessage` for a notification that this version does not know.
    init?(_ message: PushEntry) throws {
        let user = UserRecordName(trusted: message.user)
        func notification(_ change: Int64, _ content: Notification.Content) -> Notification {
            Notification(
                subject: NotificationSubject(user: user, change: CommitSequence(change)), content: content,
                changed: Timestamp(milliseconds: message.time))
        }
        if let query = message.notification {
            guard let content = Notification.QueryContent(query, user: user) else {
                throw MalformedMessage("a push without a notification that this version knows")
            }
            self = .notification(notification(query.change, .query(content)))
        } else if let omitted = message.omitted {
            guard let content = Notification.OmittedContent(omitted) else {
                throw MalformedMessage("a push about omitted notifications without a zone that this version knows")
            }
            self = .omitted(notification(omitted.change, .omitted(content)))
        } else if !message.read.isEmpty {
            self = .read(message.read)
        } else if message.targets.contains(where: { $0.badge != nil }) {
            self = .badge
        } else {
            return nil
        }
    }

    /// True if it stands for no notification.
    var isMark: Bool {
        switch self {
        case .notification, .omitted: false
        case .read, .badge: true
        }
    }

    /// The number of changes that it stands for; 1 for a mark.
    var changeCount: Int {
        if case .notification(let notification) = self, case .query(let content) = notification.content {
            content.changeCount
        } else {
            1
        }
    }

    /// Returns true if a push with a badge, or without one, shows something: an alert, a sound or the badge.
    func isVisible(badge: Int64?) -> Bool {
        guard badge == nil, case .notification(let notification) = self,
            case .query(let content) = notification.content
        else { return badge != nil }
        return PushPayload.isVisible(content.appearance)
    }
}
