import CloudModel
import Foundation

extension CKDatabase {
    /// A subscription of the user's.
    public func subscription(for subscriptionID: CKSubscription.ID) async throws -> CKSubscription {
        let results = try await subscriptions(for: [subscriptionID])
        guard let result = results[subscriptionID] else {
            throw CKError(.unknownItem, "the answer has no subscription")
        }
        return try result.get()
    }

    /// Subscriptions of the user's by their IDs; a result for each.
    public func subscriptions(
        for ids: [CKSubscription.ID]
    ) async throws -> [CKSubscription.ID: Result<CKSubscription, any Error>] {
        var wrong: [CKSubscription.ID: CKError] = [:]
        for id in ids { do throws(CKError) { _ = try SubscriptionID.checked(id) } catch { wrong[id] = error } }
        let ids = ids.filter { wrong[$0] == nil }
        guard !ids.isEmpty else { return wrong.mapValues { .failure($0) } }
        let results = try await session.call { [scope] in
            try await $0.service.subscriptions(ids.map { SubscriptionID(trusted: $0) }, in: scope)
        }
        return Dictionary(zip(ids, results).map { id, result in (id, Self.received(result)) }) { first, _ in first }
            .merging(wrong.mapValues { .failure($0) }) { first, _ in first }
    }

    /// All subscriptions of the user's in this database.
    public func allSubscriptions() async throws -> [CKSubscription] {
        let drafts = try await session.call { [scope] in try await $0.service.subscriptions(in: scope) }
        return try drafts.map { try CKSubscription.received($0) }
    }

    /// Saves a subscription; harmless when it is saved already.
    @discardableResult
    public func save(_ subscription: CKSubscription) async throws -> CKSubscription {
        let results = try await modifySubscriptions(saving: [subscription], deleting: [])
        guard let result = results.saveResults[subscription.subscriptionID] else {
            throw CKError(.internalError, "the answer has no subscription")
        }
        return try result.get()
    }

    /// Deletes a subscription.
    @discardableResult
    public func deleteSubscription(withID subscriptionID: CKSubscription.ID) async throws -> CKSubscription.ID {
        let results = try await modifySubscriptions(saving: [], deleting: [subscriptionID])
        try results.deleteResults[subscriptionID]?.get()
        return subscriptionID
    }

    /// Saves and deletes subscriptions; a result for each. Of one that is saved already, the notification is updated.
    public func modifySubscriptions(
        saving subscriptionsToSave: [CKSubscription], deleting subscriptionIDsToDelete: [CKSubscription.ID]
    ) async throws -> (
        saveResults: [CKSubscription.ID: Result<CKSubscription, any Error>],
        deleteResults: [CKSubscription.ID: Result<Void, any Error>]
    ) {
        var saved: [CKSubscription.ID: Result<CKSubscription, any Error>] = [:]
        var deleted: [CKSubscription.ID: Result<Void, any Error>] = [:]
        var operations: [SubscriptionOperation] = []
        var sent: [CKSubscription.ID] = []
        for subscription in subscriptionsToSave {
            do throws(CKError) {
                _ = try SubscriptionID.checked(subscription.subscriptionID)
                operations.append(.create(try subscription.given()))
                sent.append(subscription.subscriptionID)
            } catch {
                saved[subscription.subscriptionID] = .failure(error)
            }
        }
        for id in subscriptionIDsToDelete {
            do throws(CKError) { _ = try SubscriptionID.checked(id) } catch { deleted[id] = .failure(error) }
        }
        let subscriptionIDsToDelete = subscriptionIDsToDelete.filter { deleted[$0] == nil }
        operations += subscriptionIDsToDelete.map { .delete(SubscriptionID(trusted: $0)) }
        guard !operations.isEmpty else { return (saved, deleted) }
        let attempts = Collected(0)
        let results = try await session.call { [scope, operations] in
            attempts.update { $0 += 1 }
            return try await $0.service.modify(operations, in: scope)
        }
        guard results.count == operations.count else { throw CKError(.internalError, "the answer is too short") }
        for (id, result) in zip(sent, results) { saved[id] = Self.saved(result) }
        for (id, result) in zip(subscriptionIDsToDelete, results.dropFirst(sent.count)) {
            // What an attempt whose answer was lost has deleted is gone for the next.
            if case .failure(let error) = result, error.code != .notFound || attempts.value == 1 {
                deleted[id] = .failure(CKError(error, ofItem: true))
            } else {
                deleted[id] = .success(())
            }
        }
        return (saved, deleted)
    }

    private static func saved(_ result: Result<SubscriptionDraft?, FanfareError>) -> Result<CKSubscription, any Error> {
        received(
            result.flatMap { draft in
                draft.map { .success($0) }
                    ?? .failure(FanfareError(status: 200, code: nil, reason: "the answer has no subscription"))
            })
    }

    private static func received(_ result: Result<SubscriptionDraft, FanfareError>) -> Result<CKSubscription, any Error>
    {
        switch result {
        case .success(let draft): Result { try CKSubscription.received(draft) }
        case .failure(let error): .failure(CKError(error, ofItem: true))
        }
    }
}
