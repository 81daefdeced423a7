import CloudModel
import EventLog
import Matching
import Messages
import RecordStore
import Synchronization

extension RecordService {
    /// Fills in what the subscriptions to be tested would have fired on among the latest changes. They are read once
    /// for all tests of a request.
    func tested(
        _ results: [SubscriptionResult], in database: DatabaseScope, for user: UserRecordName
    ) async throws -> [SubscriptionResult] {
        let hasTests = results.contains { if case .tested = $0 { true } else { false } }
        guard hasTests else { return results }
        let changes = try await latestChanges(in: database, for: user)
        return results.map { result in
            guard case .tested(var test) = result else { return result }
            test.examined = changes.count
            test.matched = changes.filter { test.subscription.fires(on: $0) }
            return .tested(test)
        }
    }

    /// The latest changes of a database that may concern a user, by sequence: those that are published, and those that
    /// are committed and wait for it, so that a test sees what was saved before it.
    private func latestChanges(in database: DatabaseScope, for user: UserRecordName) async throws -> [Change] {
        var changes = try await store.read { reader in
            try reader.outbox(after: .zero, limit: Limits.testChangesMax, bytesMax: Limits.testBytesMax).compactMap {
                row -> Change? in
                guard case .changes(database) = row.destination, let value = row.value else { return nil }
                return try ChangeEvent(decoding: value).change()
            }
        }
        if let log = runningLog.withLock({ $0 }) {
            let topic = layout.changes(database)
            let own = TopicPartition(topic, layout.partition(of: layout.userKey(user)))
            let all = (0..<layout.partitions).map { TopicPartition(topic, $0) }
            changes += try await ChangeHistory(log: log).latest(database == .private ? [own] : all)
        }
        var seen: Set<Sequence> = []
        return changes.filter { change in change.mayConcern(user) && seen.insert(change.sequence).inserted }
            .sorted { $0.sequence < $1.sequence }.suffix(Limits.testChangesMax)
    }
}

extension Change {
    /// Whether a user may know of the change at all.
    fileprivate func mayConcern(_ user: UserRecordName) -> Bool {
        switch database {
        case .public: true
        case .private: affectedZone?.owner == user
        case .shared: participants.contains(user)
        }
    }
}
