import CloudMessages
import CloudModel
import EventLog
import ProtocolBuffers
import RecordStore

/// Saves and deletes subscriptions within a transaction: each in the store, in the topic, and as a version that
/// supersedes another.
struct SubscriptionVersions {
    let commit: Commit
    private var transaction: any StoreTransaction { commit.transaction }

    /// Saves a new subscription. One with a backfill first writes its start to `deliveries`, so that no hit comes
    /// earlier. The caller publishes boundaries behind all subscriptions of the commit: there their backfills end.
    /// - Returns: the number of stored bytes.
    func create(_ subscription: Subscription, condition: [UInt8]) throws -> Int {
        let hasPast = subscription.backfill != nil
        let begun = hasPast ? try transaction.nextSequence() : nil
        let sequence = try transaction.nextSequence()
        let key = subscription.key
        if let begun {
            let event = BackfillBegun(
                created: sequence.rawValue, partitions: commit.layout.partitions, database: key.database.rawValue)
            try commit.publish(.backfillBegun(event), of: key.user, at: begun)
            try transaction.addBackfill(sequence, of: key.user, in: key.database, at: commit.serviceTime)
        }
        return try save(
            SavedSubscription(subscription: subscription, created: sequence, saved: sequence), condition: condition)
    }

    /// Saves a version.
    /// - Returns: the bytes that are stored of it.
    @discardableResult
    func save(
        _ saved: SavedSubscription, condition: [UInt8], replacing former: StoredSubscription? = nil
    ) throws -> Int {
        let body = SubscriptionEvent(saved: saved, store: commit.store).encoded()
        try transaction.save(
            StoredSubscription(
                key: saved.subscription.key, created: saved.created, saved: saved.saved, condition: condition,
                body: body))
        try commit.publish(saved.subscription.key, body, at: saved.saved)
        try removeUnseen(of: saved.subscription.key)
        if let former { try supersede(former.saved, of: former.key, bytes: former.body.count) }
        return body.count
    }

    func delete(_ existing: StoredSubscription) throws {
        let key = existing.key
        let sequence = try transaction.nextSequence()
        try transaction.deleteSubscription(key)
        let event = SubscriptionEvent(deleted: key, at: sequence, created: existing.created, store: commit.store)
            .encoded()
        try commit.publish(key, event, at: sequence)
        try removeUnseen(of: key)
        try supersede(existing.saved, of: key, bytes: existing.body.count)
        try keep(sequence, of: key, bytes: event.count)
        if try existing.subscription().backfill != nil {
            let cancelled = BackfillCancelled(created: existing.created.rawValue)
            try commit.publish(.backfillCancelled(cancelled), of: key.user, at: try transaction.nextSequence())
            try transaction.endBackfills([existing.created], of: key.user)
        }
    }

    /// Returns true if no change of its database was committed since a version, and none will be with a lower sequence
    /// than this transaction's: then it was never in effect, and never will be.
    func isUnseen(_ sequence: CommitSequence, of key: SubscriptionKey) throws -> Bool {
        try lastChange(of: key).map { $0 < sequence } ?? false
    }

    /// The last change that a subscription may meet; nil where lower ones may still be committed, and versions stay
    /// until no change that is kept can need them.
    private func lastChange(of key: SubscriptionKey) throws -> CommitSequence? {
        let isKnown =
            !transaction.capabilities.isShared || key.database == .private || Mistake.versionsGoAtOnce.isMade
        return isKnown ? try transaction.lastChangeSequence(in: key.database, of: key.user) : nil
    }

    /// A version that no change has seen is removed at once, after its successor is written; others stay for changes
    /// that may be read again.
    private func supersede(_ sequence: CommitSequence, of key: SubscriptionKey, bytes: Int) throws {
        guard try isUnseen(sequence, of: key) else { return try keep(sequence, of: key, bytes: bytes) }
        try commit.retract(commit.layout.subscriptionKey(key, sequence))
    }

    /// Removes versions superseded since the last change, a deletion, after the version that follows it.
    private func removeUnseen(of key: SubscriptionKey) throws {
        guard let last = try lastChange(of: key) else { return }
        for version in try transaction.supersededVersions(of: key, after: last) {
            try commit.retract(version.key)
            try transaction.removeSuperseded(version.sequence)
        }
    }

    private func keep(_ sequence: CommitSequence, of key: SubscriptionKey, bytes: Int) throws {
        try transaction.addSuperseded(
            SupersededVersion(
                sequence: sequence, key: commit.layout.subscriptionKey(key, sequence), time: commit.time,
                subscription: key,
                bytes: bytes))
    }
}
