import CloudMessages
package import CloudModel
import EventLog
import ProtocolBuffers
import RecordStore

extension RecordService {
    /// Creates, updates, deletes and tests subscriptions of the caller, in order; each operation fails by itself.
    /// - Throws: `BAD_REQUEST` if a subscription is in the request twice.
    package func modifySubscriptions(
        _ operations: [SubscriptionOperation], in database: DatabaseScope, for caller: Caller
    ) async throws -> [SubscriptionResult] {
        let user = try caller.signedIn(to: "subscriptions")
        try checkCount(operations.count)
        try checkIDs(operations)
        let tests = operations.count { if case .test = $0 { true } else { false } }
        guard tests <= Limits.testsMax else {
            throw CloudError.exceeded(
                ExceededLimit("testsMax", Limits.testsMax),
                "a request takes at most \(Limits.testsMax) tests; this one has \(tests)")
        }
        let results = try await commit(in: .database(user)) { [options] commit in
            let batch = SubscriptionBatch(commit, user: user, database: database, options: options)
            let results = try operations.map { try batch.apply($0) }
            try batch.endBackfills()
            return results
        }
        return try await tested(results, in: database, for: user)
    }

    /// The place after a query, from which a subscription begins; nil if a token is no query's.
    /// - Throws: `BAD_REQUEST` for another user's or database's, `CHANGE_TOKEN_EXPIRED` after a replacement of the store.
    package func startingPlace(
        at token: String, in database: DatabaseScope, for user: UserRecordName
    ) throws(CloudError) -> StartingFrom? {
        guard syncTokens.isOfQuery(token) else { return nil }
        let position = try syncTokens.open(token, of: .query, in: database, for: user)
        return .query(after: position.sequence, at: position.committed)
    }

    private func checkIDs(_ operations: [SubscriptionOperation]) throws(CloudError) {
        var seen: Set<SubscriptionID> = []
        for id in operations.compactMap(\.id) where !seen.insert(id).inserted {
            throw .badRequest("the subscription '\(id)' stands twice in the request; send one operation a subscription")
        }
    }

    /// Lists the subscriptions of the caller in a database.
    package func listSubscriptions(in database: DatabaseScope, for caller: Caller) async throws -> [Subscription] {
        let user = try caller.signedIn(to: "subscriptions")
        return try await store.read { reader in
            try reader.subscriptions(of: user, in: database).map { try $0.subscription() }
        }
    }

    /// Subscriptions of the caller by ID.
    package func lookUpSubscriptions(
        _ ids: [SubscriptionID], in database: DatabaseScope, for caller: Caller
    ) async throws -> [SubscriptionResult] {
        let user = try caller.signedIn(to: "subscriptions")
        try checkCount(ids.count)
        return try await store.read { reader in
            var bytes = 0
            return try ids.map { id in
                let key = SubscriptionKey(user: user, database: database, id: id)
                guard let stored = try reader.subscription(key) else {
                    return .failed(id, CloudError(.notFound, "there is no subscription '\(id)'"))
                }
                bytes += stored.body.count
                guard bytes <= Limits.lookupBytesMax else {
                    throw CloudError.exceeded(
                        ExceededLimit("lookupBytesMax", Limits.lookupBytesMax),
                        "the subscriptions have more than \(Limits.lookupBytesMax) bytes together; look up fewer in one request"
                    )
                }
                return .subscription(try stored.subscription())
            }
        }
    }

    /// Deletes a subscription that fired once, unless it was created again since: a repeated or late command does
    /// nothing.
    /// - Parameter remember: stores the position of the command in the same transaction.
    func deleteFiredSubscription(
        _ key: SubscriptionKey, created: CommitSequence,
        remember: @escaping @Sendable (any StoreTransaction) throws -> Void
    ) async throws {
        try await commit(in: .database(key.user)) { commit in
            try remember(commit.transaction)
            guard let stored = try commit.transaction.subscription(key), stored.created == created else { return }
            try SubscriptionVersions(commit: commit).delete(stored)
        }
    }

    /// Removes versions of subscriptions that no retained change can need from the topic `subscriptions`.
    /// - Parameters:
    ///     - retention: how long changes are kept, in milliseconds; nil uses the settings.
    ///     - oldestChange: the time of the oldest retained change; nil if there is none. Called only if something could
    ///     be removed.
    package func removeSupersededSubscriptions(
        retention: Int64? = nil, oldestChange: @Sendable () async throws -> Timestamp? = { nil }
    ) async throws {
        let clockLimit = Timestamp(
            milliseconds: try await serviceTime().milliseconds - (retention ?? layout.retention.changes))
        guard try await store.read({ try !$0.supersededVersions(before: clockLimit, limit: 1).isEmpty }) else { return }
        let oldest = Mistake.tombstoneBySettings.isMade ? nil : try await oldestChange()
        let limit = min(clockLimit, oldest ?? clockLimit)
        try await commit(in: .whole) { commit in
            for version in try commit.transaction.supersededVersions(before: limit, limit: 1000) {
                try commit.retract(version.key)
                try commit.transaction.removeSuperseded(version.sequence)
            }
        }
    }
}

extension StoredSubscription {
    /// The subscription as it was saved.
    func subscription() throws -> Subscription {
        guard let saved = try SubscriptionEvent(decoding: body).saved() else {
            throw MalformedMessage("the stored subscription \(key) is a deletion")
        }
        return saved.subscription
    }
}
