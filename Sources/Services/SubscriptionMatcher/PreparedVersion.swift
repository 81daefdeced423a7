import CloudMessages
import CloudModel
import EventLog
import ProtocolBuffers

/// A version that is ready to be put into the table: what needs no other version is done, on any thread, as the table
/// takes one at a time. An object, as it is handed from thread to thread many at a time, and copying its parts would
/// cost the table's.
final class PreparedVersion: Sendable {
    /// The subscription's key.
    let key: SubscriptionKey
    /// The hash of that key.
    let hash: Int
    /// The incarnation of the store that numbered it.
    let store: UInt64
    /// The key of its entry; empty when the version is known at its place.
    let entry: [UInt8]
    /// True for a version that says that the subscription was deleted.
    let isDeletion: Bool
    /// The subscription as the index takes it; nil when it is a deletion, or in the index already. `info` has the
    /// content of its notifications.
    let subscription: Subscription?
    /// The encoded content of its notifications.
    let info: [UInt8]
    /// The version in little memory.
    let packed: PackedVersion

    /// Prepares a version that was read from the topic.
    /// - Parameter entry: the key of its entry.
    init(_ version: SubscriptionVersion, entry: [UInt8]) {
        key = version.key
        hash = version.key.hashValue
        store = version.store
        self.entry = entry
        subscription = version.saved?.subscription
        isDeletion = subscription == nil
        info = subscription.map { NotificationInfoMessage($0.notificationInfo).encoded() } ?? []
        packed = PackedVersion(
            version.key, version.sequence, created: version.created, offset: version.offset,
            watched: subscription.map(PackedVersion.watched) ?? [],
            PackedVersion.Flags(
                subscription,
                isNamedElsewhere: !TopicLayout.isSubscriptionKey(entry, of: version.key, version.sequence)))
    }

    /// Prepares a version that was read from a snapshot.
    /// - Parameter isIndexed: true if the index knows it at its place already.
    /// - Throws: `MalformedMessage` or the reader's error, if it is none of ours.
    init(_ message: SnapshotVersion, _ layout: TopicLayout, isIndexed: Bool = false) throws {
        guard let database = DatabaseScope(rawValue: message.database) else {
            throw SnapshotFailure("a version of an unknown database")
        }
        key = SubscriptionKey(
            user: UserRecordName(trusted: message.user), database: database, id: SubscriptionID(trusted: message.id))
        hash = key.hashValue
        store = message.store
        let sequence = CommitSequence(message.sequence)
        entry = isIndexed ? [] : layout.subscriptionKey(key, sequence)
        info = message.notificationInfo
        isDeletion = message.watched == nil
        if !isIndexed, let watched = message.watched {
            let event = try SubscriptionEvent(decoding: watched)
            guard let condition = try event.condition?.condition() else {
                throw SnapshotFailure("a version without a condition")
            }
            // Nobody looks at it before it is needed.
            _ = try NotificationInfoMessage(decoding: info)
            subscription = Subscription(
                key: key, condition: condition, notificationInfo: NotificationInfo(), backfill: event.backfill?.backfill
            )
        } else {
            subscription = nil
        }
        packed = PackedVersion(
            key, sequence, created: CommitSequence(message.created), offset: message.offset,
            watched: message.watched ?? [],
            isIndexed ? PackedVersion.Flags(rawValue: UInt8(truncatingIfNeeded: message.flags)) : .init(subscription))
    }
}
