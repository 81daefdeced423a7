import Foundation

// What can change is guarded, as in the class above it.
/// Fetches subscriptions of the user's.
open class CKFetchSubscriptionsOperation: CKDatabaseOperation, @unchecked Sendable {
    /// The subscriptions to fetch; nil is all.
    @CKGuarded open var subscriptionIDs: [CKSubscription.ID]? = nil
    /// Called for each subscription.
    @CKBlock open var perSubscriptionResultBlock: ((CKSubscription.ID, Result<CKSubscription, any Error>) -> Void)? =
        nil
    /// Called at the end.
    @CKBlock open var fetchSubscriptionsResultBlock: ((Result<Void, any Error>) -> Void)? = nil
    /// Called at the end, in CloudKit's older form.
    @CKBlock open var fetchSubscriptionCompletionBlock:
        (([CKSubscription.ID: CKSubscription]?, (any Error)?) -> Void)? = nil

    /// An operation that fetches subscriptions.
    public convenience init(subscriptionIDs: [CKSubscription.ID]) {
        self.init()
        self.subscriptionIDs = subscriptionIDs
    }

    /// An operation that fetches all of the user's in the database.
    open class func fetchAllSubscriptionsOperation() -> CKFetchSubscriptionsOperation {
        CKFetchSubscriptionsOperation()
    }

    override func run() async {
        var found: [CKSubscription.ID: CKSubscription] = [:]
        var errors: [(id: any Hashable & Sendable, error: any Error)] = []
        var failure: CKError?
        do {
            try Task.checkCancellation()
            var results: [(CKSubscription.ID, Result<CKSubscription, any Error>)] = []
            if let ids = subscriptionIDs {
                let byID = try await target.subscriptions(for: ids)
                results = ids.compactMap { id in byID[id].map { (id, $0) } }
            } else {
                results = try await target.allSubscriptions().map { ($0.subscriptionID, .success($0)) }
            }
            for (id, result) in results {
                switch result {
                case .success(let subscription): found[id] = subscription
                case .failure(let error): errors.append((id, error))
                }
                perSubscriptionResultBlock?(id, result)
            }
        } catch {
            failure = CKError(error)
        }
        fetchSubscriptionsResultBlock?(Self.result(failure))
        fetchSubscriptionCompletionBlock?(found, failure ?? Self.failure(errors))
    }
}
