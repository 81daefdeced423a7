import CloudModel
import EventLog
import Messages
import RecordStore

/// Saves and deletes subscriptions within a transaction: each in the store, in the topic, and as a version that
/// supersedes another.
struct SubscriptionVersions {
    let transaction: any StoreTransaction
    let layout: TopicLayout
    let store: UInt64
    let time: Timestamp

    func save(_ saved: SavedSubscription, condition: [UInt8], replacing former: StoredSubscription? = nil) throws {
        if let former { try supersede(former.saved, of: former.key) }
        let body = SubscriptionEvent(saved: saved, store: store).encoded()
        try transaction.save(
            StoredSubscription(
                key: saved.subscription.key, created: saved.created, saved: saved.saved, condition: condition,
                body: body))
        try publish(saved.saved, saved.subscription.key, body)
    }

    func delete(_ existing: StoredSubscription) throws {
        let key = existing.key
        let sequence = try transaction.nextSequence()
        try transaction.deleteSubscription(key, at: sequence)
        try publish(
            sequence, key,
            SubscriptionEvent(deleted: key, at: sequence, created: existing.created, store: store).encoded())
        try supersede(existing.saved, of: key)
        try supersede(sequence, of: key)
    }

    /// Deletes what watches nothing but a zone that is gone: a zone made again under its name is another.
    func deleteAll(watching zone: ZoneID) throws {
        for stored in try transaction.subscriptions(of: zone.owner, in: .private) {
            if try stored.subscription().condition.zone == zone.name { try delete(stored) }
        }
    }

    private func publish(_ sequence: Sequence, _ key: SubscriptionKey, _ event: [UInt8]) throws {
        try transaction.append(
            OutboxRow(
                sequence: sequence, destination: .subscriptions, key: layout.subscriptionKey(key, sequence),
                value: event, time: time))
    }

    private func supersede(_ sequence: Sequence, of key: SubscriptionKey) throws {
        try transaction.addSuperseded(
            SupersededVersion(sequence: sequence, key: layout.subscriptionKey(key, sequence), time: time))
    }
}
