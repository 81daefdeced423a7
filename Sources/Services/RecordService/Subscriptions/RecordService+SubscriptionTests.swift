import CloudMessages
import CloudModel
import EventLog
import Matching
import ProtocolBuffers
import RecordStore
import Synchronization
import Waiting

extension RecordService {
    /// Fills in what the subscriptions to be tested would have fired on among the latest changes. They are read once
    /// for all tests of a request.
    func tested(
        _ results: [SubscriptionResult], in database: DatabaseScope, for user: UserRecordName
    ) async throws -> [SubscriptionResult] {
        let hasTests = results.contains { if case .tested = $0 { true } else { false } }
        guard hasTests else { return results }
        let values = try await latestChanges(in: database, for: user)
        let found: [SubscriptionResult]
        do {
            found = try await testing.run(for: user, waitingAtMost: .seconds(Limits.testWaitSecondsMax)) {
                isCancelled in
                try Self.tested(results, on: try Self.changes(values, for: user, isCancelled), isCancelled)
            }
        } catch is WaitingRefusal {
            throw CloudError(
                .tryAgainLater, "other tests of subscriptions are running; send one at a time", retryAfterSeconds: 2)
        }
        return try await store.read { reader in
            let present = PresentRights(of: user, reader)
            return try found.map { result in
                guard case .tested(var test) = result else { return result }
                test.matched = try test.matched.filter(present.allow)
                return .tested(test)
            }
        }
    }

    /// The tests of a request share what they may cost; each looks at the latest changes first.
    static func tested(
        _ results: [SubscriptionResult], on changes: [(change: Change, bytes: Int)], _ isCancelled: () -> Bool,
        workMax: Int = Limits.testWorkMax
    ) throws -> [SubscriptionResult] {
        let count = results.count { if case .tested = $0 { true } else { false } }
        return try results.map { result in
            guard case .tested(var test) = result else { return result }
            var room = workMax / max(1, count)
            for (change, bytes) in changes.reversed() {
                if isCancelled() { throw CancellationError() }
                guard room > 0 else { break }
                let (work, isTooMuch) = bytes.multipliedReportingOverflow(by: max(1, test.predicateCost))
                room -= isTooMuch ? room : work
                test.examined += 1
                if test.subscription.fires(on: change) { test.matched.append(change) }
            }
            test.leftOut = changes.count - test.examined
            test.matched.reverse()
            return .tested(test)
        }
    }

    /// The latest changes of a database in their stored form: published ones, and committed ones that wait for it, so
    /// that a test covers earlier saves.
    private func latestChanges(in database: DatabaseScope, for user: UserRecordName) async throws -> [[UInt8]] {
        let waiting = try await store.read { reader in
            try reader.outbox(after: .zero, limit: Limits.testChangesMax, bytesMax: Limits.testBytesMax).compactMap {
                row -> [UInt8]? in
                guard case .changes(database) = row.destination else { return nil }
                return row.value
            }
        }
        guard let log else { return waiting }
        let topic = layout.changes(database)
        let own = TopicPartition(topic, layout.partition(of: layout.userKey(user)))
        let all = (0..<layout.partitions).map { TopicPartition(topic, $0) }
        return waiting + (try await ChangeHistory(log: log).latest(database == .private ? [own] : all))
    }

    /// The changes that may concern a user, by sequence, with their bytes. Unreadable ones are left out, as the matcher
    /// does.
    private static func changes(
        _ values: [[UInt8]], for user: UserRecordName, _ isCancelled: () -> Bool
    ) throws -> [(change: Change, bytes: Int)] {
        var seen: Set<CommitSequence> = []
        var found: [(change: Change, bytes: Int)] = []
        for value in values {
            if isCancelled() { throw CancellationError() }
            guard let change = try? ChangeEvent(decoding: value).change(), change.mayConcern(user),
                seen.insert(change.sequence).inserted
            else { continue }
            found.append((change, value.count))
        }
        found.sort { $0.change.sequence < $1.change.sequence }
        return found.suffix(Limits.testChangesMax)
    }
}

extension Change {
    /// Returns true if a user may know of the change at all.
    fileprivate func mayConcern(_ user: UserRecordName) -> Bool {
        switch database {
        case .public: true
        case .private: affectedZone?.owner == user
        case .shared: participants.contains(user)
        }
    }
}
