import CloudMessages
import CloudModel
import EventLog
import ProtocolBuffers

/// The pushes of these tests.
enum Pushed {
    static let user = UserRecordName(trusted: "_" + String(repeating: "a", count: 32))
    static let layout = TopicLayout(
        ContainerEnvironment(container: ContainerIdentifier(trusted: "iCloud.test"), environment: .development),
        partitions: 2)

    static func notification(_ kind: Subscription.Kind, badge: Int64? = nil) -> Notification {
        var content = Notification.QueryContent(
            subscription: SubscriptionKey(user: user, database: .private, id: SubscriptionID(trusted: "s")),
            reason: .created, recordName: RecordName(trusted: "r"), recordType: RecordType(trusted: "T"),
            zone: .publicDefault, fields: RecordFields(), appearance: Appearance(alert: AlertText("b")), badge: badge)
        content.kind = kind
        return Notification(
            subject: NotificationSubject(user: user, change: CommitSequence(9)), content: .query(content),
            changed: Timestamp(milliseconds: 5))
    }

    /// An entry of `pushes` for a change, from an offset of `deliveries`.
    static func entry(_ change: Int64, at offset: Int64, _ targets: [PushTarget]) -> PushEntry {
        PushEntry(
            source: SourcePositionMessage(
                SourcePosition(
                    source: SourceID(origin: "deliveries", incarnation: 9, partition: 0), offset: offset)),
            user: user.rawValue, time: 5, device: "laptop", epoch: 2,
            notification: QueryNotification(
                database: 2, subscription: "s", change: change, reason: 1, recordType: "T", recordName: "r",
                zone: ZoneMessage(.publicDefault), alertBody: "b"),
            targets: targets)
    }

    static func target(_ device: String, _ courier: String = "apns", badge: Int64? = nil) -> PushTarget {
        PushTarget(device: device, epoch: 3, courier: courier, badge: badge)
    }

    static func outgoing(_ entry: PushEntry) -> OutgoingEntry {
        OutgoingEntry(
            layout.pushes(of: user), key: layout.userKey(user), value: entry.encoded(),
            timestamp: LogTimestamp(milliseconds: 5))
    }
}
