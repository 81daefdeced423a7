public import Foundation

// What can change is guarded, as in the class above it.
/// Fetches the records of zones that changed after their tokens.
open class CKFetchRecordZoneChangesOperation: CKDatabaseOperation, @unchecked Sendable {
    /// The value of a zone's result: the token, CloudKit's older note, and whether there is more.
    public typealias ZoneResult = Result<
        (serverChangeToken: CKServerChangeToken, clientChangeTokenData: Data?, moreComing: Bool), any Error
    >

    /// The zones.
    @CKGuarded open var recordZoneIDs: [CKRecordZone.ID]? = nil
    /// The parts of the zones.
    @CKGuarded open var configurationsByRecordZoneID: [CKRecordZone.ID: ZoneConfiguration]? = nil
    /// The older name of `configurationsByRecordZoneID`.
    open var optionsByRecordZoneID: [CKRecordZone.ID: ZoneOptions]? {
        get { configurationsByRecordZoneID }
        set { configurationsByRecordZoneID = newValue }
    }
    /// True to fetch all pages; false leaves further ones to further operations.
    @CKGuarded open var fetchAllChanges = true
    /// Called for each record that was made or changed, as it is now.
    @CKBlock open var recordWasChangedBlock: ((CKRecord.ID, Result<CKRecord, any Error>) -> Void)? = nil
    /// Called for each record that was made or changed, in CloudKit's older form.
    @CKBlock open var recordChangedBlock: ((CKRecord) -> Void)? = nil
    /// Called for each record that was deleted, with its type.
    @CKBlock open var recordWithIDWasDeletedBlock: ((CKRecord.ID, CKRecord.RecordType) -> Void)? = nil
    /// Called with a zone's token after each page.
    @CKBlock open var recordZoneChangeTokensUpdatedBlock: ((CKRecordZone.ID, CKServerChangeToken?, Data?) -> Void)? =
        nil
    /// Called at the end of each zone.
    @CKBlock open var recordZoneFetchResultBlock: ((CKRecordZone.ID, ZoneResult) -> Void)? = nil
    /// Called at the end of each zone, in CloudKit's older form.
    @CKBlock open var recordZoneFetchCompletionBlock:
        ((CKRecordZone.ID, CKServerChangeToken?, Data?, Bool, (any Error)?) -> Void)? = nil
    /// Called at the end.
    @CKBlock open var fetchRecordZoneChangesResultBlock: ((Result<Void, any Error>) -> Void)? = nil
    /// Called at the end, in CloudKit's older form.
    @CKBlock open var fetchRecordZoneChangesCompletionBlock: (((any Error)?) -> Void)? = nil

    /// An operation that fetches what changed in zones.
    public convenience init(
        recordZoneIDs: [CKRecordZone.ID]? = nil,
        configurationsByRecordZoneID: [CKRecordZone.ID: ZoneConfiguration]? = nil
    ) {
        self.init()
        self.recordZoneIDs = recordZoneIDs
        self.configurationsByRecordZoneID = configurationsByRecordZoneID
    }

    /// An operation that fetches what changed in zones, as CloudKit's first years wrote it.
    public convenience init(
        recordZoneIDs: [CKRecordZone.ID], optionsByRecordZoneID: [CKRecordZone.ID: ZoneOptions]?
    ) {
        self.init(recordZoneIDs: recordZoneIDs, configurationsByRecordZoneID: optionsByRecordZoneID)
    }

    override func run() async {
        let configurations = configurationsByRecordZoneID ?? [:]
        var errors: [(id: any Hashable & Sendable, error: any Error)] = []
        var failure: CKError?
        var parts = Parts()
        do {
            for zone in recordZoneIDs ?? Array(configurations.keys) {
                do {
                    let (token, moreComing) = try await fetch(zone, configurations[zone] ?? ZoneConfiguration())
                    parts.isAnswered = true
                    recordZoneFetchResultBlock?(zone, .success((token, nil, moreComing)))
                    recordZoneFetchCompletionBlock?(zone, token, nil, moreComing, nil)
                } catch {
                    let failed = CKError(error)
                    errors.append((zone, failed))
                    recordZoneFetchResultBlock?(zone, .failure(failed))
                    recordZoneFetchCompletionBlock?(zone, nil, nil, false, failed)
                    _ = try parts.judge(failed)
                }
            }
            try parts.end()
        } catch {
            failure = CKError(error)
        }
        fetchRecordZoneChangesResultBlock?(Self.result(failure))
        fetchRecordZoneChangesCompletionBlock?(failure ?? Self.failure(errors))
    }

    private func fetch(
        _ zone: CKRecordZone.ID, _ configuration: ZoneConfiguration
    ) async throws -> (CKServerChangeToken, Bool) {
        var token = configuration.previousServerChangeToken
        while true {
            try Task.checkCancellation()
            let page = try await target.changes(
                in: zone, since: token, desiredKeys: configuration.desiredKeys, limit: configuration.resultsLimit ?? 0)
            for (id, result) in page.modified {
                recordWasChangedBlock?(id, result)
                if case .success(let record) = result { recordChangedBlock?(record) }
            }
            for deletion in page.deleted { recordWithIDWasDeletedBlock?(deletion.recordID, deletion.recordType) }
            recordZoneChangeTokensUpdatedBlock?(zone, page.token, nil)
            token = page.token
            if !page.moreComing || !fetchAllChanges { return (page.token, page.moreComing) }
        }
    }
}
