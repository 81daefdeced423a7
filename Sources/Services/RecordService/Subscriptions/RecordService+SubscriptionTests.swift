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
        let results = try await withSubjects(results, in: database, for: user)
        let trials = results.compactMap { if case .tested(let test) = $0 { test.trial } else { nil } }
        guard let count = trials.filter({ !$0.isParseOnly }).map(\.changesMax).max() else { return results }
        let values = try await latestChanges(count, in: database, for: user)
        let found: [SubscriptionResult]
        do {
            found = try await testing.run(for: user, waitingAtMost: .seconds(Limits.testWaitSecondsMax)) {
                isCancelled in
                try Self.tested(results, on: try Self.changes(values, count, for: user, isCancelled), isCancelled)
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
                test.near = try test.near.filter { try present.allow($0.change) }
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
            guard case .tested(var test) = result, !test.trial.isParseOnly else { return result }
            var room = workMax / max(1, count)
            let latest = changes.suffix(test.trial.changesMax)
            // A change that does not fire is looked at again.
            let cost = max(1, test.predicateCost) * (test.trial.findsNear ? 2 : 1)
            for (change, bytes) in latest.reversed() {
                if isCancelled() { throw CancellationError() }
                guard room > 0 else { break }
                let (work, isTooMuch) = bytes.multipliedReportingOverflow(by: cost)
                room -= isTooMuch ? room : work
                test.examined += 1
                if test.subscription.fires(on: change) {
                    test.matched.append(change)
                } else if test.trial.findsNear, let comparison = test.subscription.onlyFailure(on: change) {
                    test.near.append(SubscriptionTest.NearMiss(change: change, comparison: comparison))
                }
            }
            test.leftOut = latest.count - test.examined
            test.matched.reverse()
            test.near.reverse()
            return .tested(test)
        }
    }

    /// Fills in the outcomes for the records that tests name, as far as the user may read them.
    private func withSubjects(
        _ results: [SubscriptionResult], in database: DatabaseScope, for user: UserRecordName
    ) async throws -> [SubscriptionResult] {
        var results = results
        for place in results.indices {
            guard case .tested(var test) = results[place], let subject = test.trial.subject else { continue }
            do {
                let found = try await lookUpRecords(
                    [subject.name], in: database, zone: subject.zone, for: Caller(user: user))
                switch found.first {
                case .record(let record)?:
                    test.subject = .traced(record, test.subscription.condition.query.predicate.traced(on: record))
                case .failed(_, let error)?: test.subject = .failed(subject.name, error)
                case .deleted?, nil: break
                }
            } catch let error as CloudError {
                test.subject = .failed(subject.name, error)
            }
            results[place] = .tested(test)
        }
        return results
    }

    /// The latest changes of a database in their stored form: published ones, and committed ones that wait for it, so
    /// that a test covers earlier saves.
    private func latestChanges(
        _ count: Int, in database: DatabaseScope, for user: UserRecordName
    ) async throws -> [[UInt8]] {
        let waiting = try await store.read { reader in
            let published = try PublishedRows.last(reader)
            return try reader.outbox(after: published, limit: Limits.testChangesMax, bytesMax: Limits.testBytesMax)
                .compactMap {
                    row -> [UInt8]? in
                    guard case .changes(database) = row.destination else { return nil }
                    return row.value
                }
        }
        guard let log else { return waiting }
        let topic = layout.changes(database)
        let all = (0..<layout.partitions).map { TopicPartition(topic, $0) }
        let history = ChangeHistory(log: log)
        switch database {
        case .public: return waiting + (try await history.latest(all, count: count))
        case .private:
            let key = layout.userKey(user)
            let own = TopicPartition(topic, layout.partition(of: key))
            return waiting + (try await history.latest([own], count: count) { $0.key == key })
        // Whose changes these are is known once they are decoded.
        case .shared: return waiting + (try await history.latest(all, count: nil))
        }
    }

    /// The changes that may concern a user, by sequence, with their bytes. Unreadable ones are left out, as the matcher
    /// does.
    private static func changes(
        _ values: [[UInt8]], _ count: Int, for user: UserRecordName, _ isCancelled: () -> Bool
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
        return found.suffix(count)
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
