import Foundation

// What can change is guarded, as in the class above it.
/// Saves and deletes subscriptions.
open class CKModifySubscriptionsOperation: CKDatabaseOperation, @unchecked Sendable {
    /// The subscriptions to save.
    @CKGuarded open var subscriptionsToSave: [CKSubscription]? = nil
    /// The subscriptions to delete.
    @CKGuarded open var subscriptionIDsToDelete: [CKSubscription.ID]? = nil
    /// Called for each save.
    @CKBlock open var perSubscriptionSaveBlock: ((CKSubscription.ID, Result<CKSubscription, any Error>) -> Void)? =
        nil
    /// Called for each deletion.
    @CKBlock open var perSubscriptionDeleteBlock: ((CKSubscription.ID, Result<Void, any Error>) -> Void)? = nil
    /// Called at the end.
    @CKBlock open var modifySubscriptionsResultBlock: ((Result<Void, any Error>) -> Void)? = nil
    /// Called at the end, in CloudKit's older form.
    @CKBlock open var modifySubscriptionsCompletionBlock:
        (([CKSubscription]?, [CKSubscription.ID]?, (any Error)?) -> Void)? = nil

    /// An operation that saves and deletes subscriptions.
    public convenience init(
        subscriptionsToSave: [CKSubscription]? = nil, subscriptionIDsToDelete: [CKSubscription.ID]? = nil
    ) {
        self.init()
        self.subscriptionsToSave = subscriptionsToSave
        self.subscriptionIDsToDelete = subscriptionIDsToDelete
    }

    override func run() async {
        var saved: [CKSubscription] = []
        var deleted: [CKSubscription.ID] = []
        var errors: [(id: any Hashable & Sendable, error: any Error)] = []
        var failure: CKError?
        do {
            try Task.checkCancellation()
            let results = try await target.modifySubscriptions(
                saving: subscriptionsToSave ?? [], deleting: subscriptionIDsToDelete ?? [])
            for id in (subscriptionsToSave ?? []).map(\.subscriptionID) {
                guard let result = results.saveResults[id] else { continue }
                switch result {
                case .success(let subscription): saved.append(subscription)
                case .failure(let error): errors.append((id, error))
                }
                perSubscriptionSaveBlock?(id, result)
            }
            for id in subscriptionIDsToDelete ?? [] {
                guard let result = results.deleteResults[id] else { continue }
                switch result {
                case .success: deleted.append(id)
                case .failure(let error): errors.append((id, error))
                }
                perSubscriptionDeleteBlock?(id, result)
            }
        } catch {
            failure = CKError(error)
        }
        modifySubscriptionsResultBlock?(Self.result(failure))
        modifySubscriptionsCompletionBlock?(saved, deleted, failure ?? Self.failure(errors))
    }
}
