import CloudMessages
import CloudModel
import EventLog
import ProtocolBuffers

/// A save or a deletion of a subscription, from an entry of the topic `subscriptions`.
struct SubscriptionVersion: Sendable {
    /// The subscription.
    var key: SubscriptionKey
    /// The sequence of the save or deletion.
    var sequence: CommitSequence
    /// The sequence of the subscription's creation.
    var created: CommitSequence
    /// The incarnation of the store that numbered it.
    var store: UInt64
    /// Nil when it is a deletion.
    var saved: SavedSubscription?
    /// The offset in the topic.
    var offset: Int64

    /// Reads an event.
    /// - Throws: `MalformedMessage`.
    init(_ event: SubscriptionEvent, at offset: Int64) throws(MalformedMessage) {
        key = try event.key()
        sequence = try event.sequence()
        created = CommitSequence(event.created)
        store = event.source?.incarnation ?? 0
        saved = try event.saved()
        self.offset = offset
    }

    init(
        key: SubscriptionKey, sequence: CommitSequence, created: CommitSequence, store: UInt64,
        saved: SavedSubscription?, offset: Int64
    ) {
        self.key = key
        self.sequence = sequence
        self.created = created
        self.store = store
        self.saved = saved
        self.offset = offset
    }
}
