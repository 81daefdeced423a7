import CloudMessages
package import CloudModel
import EventLog
import ProtocolBuffers
import RecordStore

extension StoreRepair {
    /// Makes the topic `subscriptions` agree with the store: missing versions are published under their own sequences,
    /// so that waiting changes are matched as before; versions that the store does not know are removed. The relay
    /// publishes these versions ahead of all else (`LostVersions`), so their order here does not matter.
    /// - Returns: the numbers of published and removed versions.
    package func publishSubscriptions() async throws -> (published: Int, removed: Int) {
        var present = try await versionsInTopic()
        var totals = (published: 0, removed: 0)
        var last: SubscriptionKey?
        while true {
            let after = last
            let stored = try await service.store.read { try $0.subscriptions(after: after, limit: step) }
            guard let end = stored.last else { break }
            last = end.key
            var rows: [Row] = []
            for subscription in stored {
                let versions = present.removeValue(forKey: subscription.key) ?? []
                rows += try missingVersions(of: subscription, versions)
                // Older versions wait for the retention of changes; newer ones are of a future that the store has lost.
                rows += versions.filter { $0 > subscription.saved }.map { removal(of: subscription.key, $0) }
            }
            try await append(rows, &totals)
        }
        for (key, versions) in present.sorted(by: { "\($0.key)" < "\($1.key)" }) {
            // What the store has deleted waits for the retention of changes, too.
            let known = try await service.store.read { try $0.supersededVersions(of: key, after: .zero) }.map(
                \.sequence)
            var rows = versions.subtracting(known).sorted().map { removal(of: key, $0) }
            // The last one is a deletion, which is removed when the subscription is created again in a future that the
            // store has lost. Without it, the deleted subscription would be alive again.
            if let deleted = known.max(), !versions.contains(deleted), !versions.isDisjoint(with: known) {
                rows.append(deletion(of: key, deleted))
            }
            try await append(rows, &totals)
        }
        return totals
    }

    /// Ends the backfills of subscriptions that the store does not know: no matcher delivers their shares any more, and
    /// new hits wait for them in delivery.
    /// - Parameter waiting: the backfills that delivery waits for.
    /// - Returns: the number of ended backfills.
    @discardableResult
    package func cancelPasts(_ waiting: [(user: UserRecordName, created: CommitSequence)]) async throws -> Int {
        guard !waiting.isEmpty else { return 0 }
        var known: Set<PastSubscription> = []
        var last: SubscriptionKey?
        while true {
            let after = last
            let stored = try await service.store.read { try $0.subscriptions(after: after, limit: step) }
            guard let end = stored.last else { break }
            last = end.key
            known.formUnion(stored.map { PastSubscription(user: $0.key.user, created: $0.created) })
        }
        let lost = Set(waiting.map { PastSubscription(user: $0.user, created: $0.created) }).subtracting(known)
            .sorted { $0.created < $1.created }
        for start in stride(from: 0, to: lost.count, by: step) {
            let part = lost[start..<min(start + step, lost.count)]
            try await service.commit(in: .whole) { commit in
                for one in part {
                    try commit.publish(
                        .backfillCancelled(BackfillCancelled(created: one.created.rawValue)), of: one.user,
                        at: try commit.transaction.nextSequence())
                }
            }
        }
        return lost.count
    }

    /// A subscription as delivery knows it during its backfill.
    private struct PastSubscription: Hashable {
        var user: UserRecordName
        var created: CommitSequence
    }

    /// An entry of the topic; without a value it removes its key.
    private typealias Row = (key: [UInt8], value: [UInt8]?)

    /// The sequences of the versions that the topic has, by subscription.
    private func versionsInTopic() async throws -> [SubscriptionKey: Set<CommitSequence>] {
        var versions: [SubscriptionKey: Set<CommitSequence>] = [:]
        try await log.readToOwnEntry(of: TopicPartition(service.layout.subscriptions), key: TopicLayout.readerKey) {
            entry in
            guard let key = entry.key, let sequence = TopicLayout.sequence(ofSubscriptionKey: key),
                let subscription = TopicLayout.subscription(ofSubscriptionKey: key)
            else { return }
            if entry.value == nil {
                versions[subscription]?.remove(sequence)
            } else {
                versions[subscription, default: []].insert(sequence)
            }
        }
        return versions
    }

    /// The version of a subscription that the topic lacks. If it has none, the version is published at its creation,
    /// too: changes between the two are matched by the current version, as the earlier one is lost.
    private func missingVersions(
        of stored: StoredSubscription, _ present: Set<CommitSequence>
    ) throws -> [Row] {
        guard !present.contains(stored.saved) else { return [] }
        let row: Row = (service.layout.subscriptionKey(stored.key, stored.saved), stored.body)
        guard stored.created < stored.saved, present.isEmpty else { return [row] }
        var event = try SubscriptionEvent(decoding: stored.body)
        event.source?.offset = stored.created.rawValue
        return [(service.layout.subscriptionKey(stored.key, stored.created), event.encoded()), row]
    }

    private func removal(of key: SubscriptionKey, _ sequence: CommitSequence) -> Row {
        (service.layout.subscriptionKey(key, sequence), nil)
    }

    private func deletion(of key: SubscriptionKey, _ sequence: CommitSequence) -> Row {
        let event = SubscriptionEvent(
            deleted: key, at: sequence, created: .zero, store: service.store.incarnation)
        return (service.layout.subscriptionKey(key, sequence), event.encoded())
    }

    private func append(_ rows: [Row], _ totals: inout (published: Int, removed: Int)) async throws {
        for start in stride(from: 0, to: rows.count, by: step) {
            let part = rows[start..<min(start + step, rows.count)]
            try await service.commit(in: .whole) { commit in
                for row in part { try commit.republish(row.key, row.value) }
                // In the same commit, so that a repair that is cut off leaves no version without it.
                if let removed = part.last(where: { $0.value == nil }) {
                    try commit.hold(behind: removed.key)
                } else {
                    try commit.holdBehindVersions()
                }
                if let last = try commit.transaction.lastTaken() { try LostVersions.note(last, commit.transaction) }
            }
        }
        let removed = rows.count { $0.value == nil }
        totals.removed += removed
        totals.published += rows.count - removed
    }
}

extension Commit {
    /// Holds all later changes until matchers have read the versions of this commit: where the topic is not empty,
    /// matchers may have come further than these versions' sequences.
    fileprivate func holdBehindVersions() throws {
        let sequence = try transaction.nextSequence()
        let reached = ReachedMessage(store: store, sequence: sequence.rawValue)
        try append(.subscriptions, sequence, TopicLayout.reachedKey, reached.encoded())
    }
}
