import Foundation

// What can change is guarded, as in the class above it.
/// Fetches the zones of a database that changed after a token.
open class CKFetchDatabaseChangesOperation: CKDatabaseOperation, @unchecked Sendable {
    /// The token of the last fetch; nil is the start.
    @CKGuarded open var previousServerChangeToken: CKServerChangeToken? = nil
    /// The most zones of one page; 0 leaves it to the service.
    @CKGuarded open var resultsLimit = 0
    /// True to fetch all pages; false leaves further ones to further operations.
    @CKGuarded open var fetchAllChanges = true
    /// Called for each zone that was made, or in which something changed.
    @CKBlock open var recordZoneWithIDChangedBlock: ((CKRecordZone.ID) -> Void)? = nil
    /// Called for each zone that is gone.
    @CKBlock open var recordZoneWithIDWasDeletedBlock: ((CKRecordZone.ID) -> Void)? = nil
    /// Never called here: nobody purges zones.
    @CKBlock open var recordZoneWithIDWasPurgedBlock: ((CKRecordZone.ID) -> Void)? = nil
    /// Never called here: keys are the service's, and no user resets them.
    @CKBlock open var recordZoneWithIDWasDeletedDueToUserEncryptedDataResetBlock: ((CKRecordZone.ID) -> Void)? = nil
    /// Called with the token after each page.
    @CKBlock open var changeTokenUpdatedBlock: ((CKServerChangeToken) -> Void)? = nil
    /// Called at the end.
    @CKBlock open var fetchDatabaseChangesResultBlock:
        ((Result<(serverChangeToken: CKServerChangeToken, moreComing: Bool), any Error>) -> Void)? = nil
    /// Called at the end, in CloudKit's older form.
    @CKBlock open var fetchDatabaseChangesCompletionBlock: ((CKServerChangeToken?, Bool, (any Error)?) -> Void)? = nil

    /// An operation that fetches what changed after a token.
    public convenience init(previousServerChangeToken: CKServerChangeToken?) {
        self.init()
        self.previousServerChangeToken = previousServerChangeToken
    }

    override func run() async {
        do {
            var token = previousServerChangeToken
            var moreComing = true
            while moreComing {
                try Task.checkCancellation()
                let page = try await target.databaseChanges(since: token, resultsLimit: resultsLimit)
                for change in page.modifications { recordZoneWithIDChangedBlock?(change.zoneID) }
                for change in page.deletions { recordZoneWithIDWasDeletedBlock?(change.zoneID) }
                changeTokenUpdatedBlock?(page.changeToken)
                (token, moreComing) = (page.changeToken, page.moreComing)
                if !fetchAllChanges { break }
            }
            guard let token else { return }
            fetchDatabaseChangesResultBlock?(.success((token, moreComing)))
            fetchDatabaseChangesCompletionBlock?(token, moreComing, nil)
        } catch {
            let error = CKError(error)
            fetchDatabaseChangesResultBlock?(.failure(error))
            fetchDatabaseChangesCompletionBlock?(nil, false, error)
        }
    }
}
