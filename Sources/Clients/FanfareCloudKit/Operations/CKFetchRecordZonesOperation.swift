import Foundation

// What can change is guarded, as in the class above it.
/// Fetches zones.
open class CKFetchRecordZonesOperation: CKDatabaseOperation, @unchecked Sendable {
    /// The zones to fetch; nil is all.
    @CKGuarded open var recordZoneIDs: [CKRecordZone.ID]? = nil
    /// Called for each zone.
    @CKBlock open var perRecordZoneResultBlock: ((CKRecordZone.ID, Result<CKRecordZone, any Error>) -> Void)? = nil
    /// Called at the end.
    @CKBlock open var fetchRecordZonesResultBlock: ((Result<Void, any Error>) -> Void)? = nil
    /// Called at the end, in CloudKit's older form.
    @CKBlock open var fetchRecordZonesCompletionBlock: (([CKRecordZone.ID: CKRecordZone]?, (any Error)?) -> Void)? =
        nil

    /// An operation that fetches zones.
    public convenience init(recordZoneIDs: [CKRecordZone.ID]) {
        self.init()
        self.recordZoneIDs = recordZoneIDs
    }

    /// An operation that fetches all zones of the database.
    open class func fetchAllRecordZonesOperation() -> CKFetchRecordZonesOperation { CKFetchRecordZonesOperation() }

    override func run() async {
        var found: [CKRecordZone.ID: CKRecordZone] = [:]
        var errors: [(id: any Hashable & Sendable, error: any Error)] = []
        var failure: CKError?
        do {
            try Task.checkCancellation()
            var results: [(CKRecordZone.ID, Result<CKRecordZone, any Error>)] = []
            if let ids = recordZoneIDs {
                let byID = try await target.recordZones(for: ids)
                results = ids.compactMap { id in byID[id].map { (id, $0) } }
            } else {
                results = try await target.allRecordZones().map { ($0.zoneID, .success($0)) }
            }
            for (id, result) in results {
                switch result {
                case .success(let zone): found[id] = zone
                case .failure(let error): errors.append((id, error))
                }
                perRecordZoneResultBlock?(id, result)
            }
        } catch {
            failure = CKError(error)
        }
        fetchRecordZonesResultBlock?(Self.result(failure))
        fetchRecordZonesCompletionBlock?(found, failure ?? Self.failure(errors))
    }
}
