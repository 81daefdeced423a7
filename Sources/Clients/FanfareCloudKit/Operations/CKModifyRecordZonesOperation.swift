import Foundation

// What can change is guarded, as in the class above it.
/// Makes and deletes zones.
open class CKModifyRecordZonesOperation: CKDatabaseOperation, @unchecked Sendable {
    /// The zones to make.
    @CKGuarded open var recordZonesToSave: [CKRecordZone]? = nil
    /// The zones to delete.
    @CKGuarded open var recordZoneIDsToDelete: [CKRecordZone.ID]? = nil
    /// Called for each zone that was made.
    @CKBlock open var perRecordZoneSaveBlock: ((CKRecordZone.ID, Result<CKRecordZone, any Error>) -> Void)? = nil
    /// Called for each zone that was deleted.
    @CKBlock open var perRecordZoneDeleteBlock: ((CKRecordZone.ID, Result<Void, any Error>) -> Void)? =
        nil
    /// Called at the end.
    @CKBlock open var modifyRecordZonesResultBlock: ((Result<Void, any Error>) -> Void)? = nil
    /// Called at the end, in CloudKit's older form.
    @CKBlock open var modifyRecordZonesCompletionBlock: (([CKRecordZone]?, [CKRecordZone.ID]?, (any Error)?) -> Void)? =
        nil

    /// An operation that makes and deletes zones.
    public convenience init(
        recordZonesToSave: [CKRecordZone]? = nil, recordZoneIDsToDelete: [CKRecordZone.ID]? = nil
    ) {
        self.init()
        self.recordZonesToSave = recordZonesToSave
        self.recordZoneIDsToDelete = recordZoneIDsToDelete
    }

    override func run() async {
        var saved: [CKRecordZone] = []
        var deleted: [CKRecordZone.ID] = []
        var errors: [(id: any Hashable & Sendable, error: any Error)] = []
        var failure: CKError?
        do {
            try Task.checkCancellation()
            let results = try await target.modifyRecordZones(
                saving: recordZonesToSave ?? [], deleting: recordZoneIDsToDelete ?? [])
            for id in (recordZonesToSave ?? []).map(\.zoneID) {
                guard let result = results.saveResults[id] else { continue }
                switch result {
                case .success(let zone): saved.append(zone)
                case .failure(let error): errors.append((id, error))
                }
                perRecordZoneSaveBlock?(id, result)
            }
            for id in recordZoneIDsToDelete ?? [] {
                guard let result = results.deleteResults[id] else { continue }
                switch result {
                case .success: deleted.append(id)
                case .failure(let error): errors.append((id, error))
                }
                perRecordZoneDeleteBlock?(id, result)
            }
        } catch {
            failure = CKError(error)
        }
        modifyRecordZonesResultBlock?(Self.result(failure))
        modifyRecordZonesCompletionBlock?(saved, deleted, failure ?? Self.failure(errors))
    }
}
