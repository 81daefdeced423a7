import CloudMessages
import CloudModel
import EventLog
import ProtocolBuffers

/// A reader's place in one partition of `pushes`: makes pushes of entries and drops duplicates. Pure.
struct PushCursor {
    /// The position behind the read entries.
    var position: LogPosition

    /// Begins at an offset.
    init(offset: Int64) { position = LogPosition(offset: offset) }

    /// Takes the next entry.
    /// - Returns: a push for each device; none for a duplicate, and for an entry with hints, which is for push senders.
    /// - Throws: `MalformedMessage`, `MessageError` for an entry that cannot be read; the cursor is behind it.
    mutating func take(_ entry: LogEntry) throws -> [Push] {
        position.offset = max(position.offset, entry.offset + 1)
        guard let value = entry.value else { throw MalformedMessage("a push without a value") }
        let message = try PushEntry(decoding: value)
        guard let source = message.source?.position else { throw MalformedMessage("a push without a source") }
        guard message.hints.isEmpty, position.advance(to: source) else { return [] }
        return try Self.pushes(of: message, source)
    }

    /// The pushes of an entry, one for each device.
    /// - Parameter source: the name of the entry.
    static func pushes(of message: PushEntry, _ source: SourcePosition) throws -> [Push] {
        let user = UserRecordName(trusted: message.user)
        guard let notification = message.notification,
            let content = Notification.QueryContent(notification, user: user)
        else { throw MalformedMessage("a push without a notification that this version knows") }
        let subject = NotificationSubject(user: user, change: CommitSequence(notification.change))
        let time = Timestamp(milliseconds: message.time)
        return message.targets.map { target in
            var content = content
            content.badge = target.badge
            return Push(
                source: source, courier: CourierKind(target.courier),
                since: target.since == 0 ? nil : CommitSequence(target.since),
                device: DeviceID(trusted: target.device), epoch: DeviceEpoch(target.epoch),
                origin: message.device.map { DeviceID(trusted: $0) },
                notification: Notification(subject: subject, content: .query(content), changed: time))
        }
    }

    /// Continues behind a batch, or after the entries that retention has removed.
    mutating func skip(to offset: Int64) { position.offset = max(position.offset, offset) }
}
