import Foundation

/// One sending of a sync engine: zones first, then the batches of records that the delegate gives.
struct SyncSend: Sendable {
    let engine: CKSyncEngine
    let context: CKSyncEngine.SendChangesContext

    private var scope: CKSyncEngine.SendChangesOptions.Scope { context.options.scope }
    private var database: CKDatabase { engine.database(context.options.operationGroup) }
    private var hasRecords: Bool {
        engine.state.hasPendingUntrackedChanges || !engine.state.pendingRecordZoneChanges.isEmpty
    }

    func run() async throws {
        guard hasRecords || !engine.state.pendingDatabaseChanges.isEmpty else { return }
        await engine.report(.willSendChanges(.init(context: context)))
        try await zones()
        while hasRecords {
            try Task.checkCancellation()
            guard let batch = await engine.delegate.nextRecordZoneChangeBatch(context, syncEngine: engine) else {
                break
            }
            try await send(batch)
        }
        await engine.report(.didSendChanges(.init(context: context)))
    }

    private func zones() async throws {
        var saves: [CKRecordZone] = []
        var deletes: [CKRecordZone.ID] = []
        for change in engine.state.pendingDatabaseChanges {
            switch change {
            case .saveZone(let zone): if scope.contains(zone: zone.zoneID) { saves.append(zone) }
            case .deleteZone(let id): if scope.contains(zone: id) { deletes.append(id) }
            }
        }
        guard !saves.isEmpty || !deletes.isEmpty else { return }
        let results = try await database.modifyRecordZones(saving: saves, deleting: deletes)
        var failedSaves: [CKSyncEngine.Event.SentDatabaseChanges.FailedZoneSave] = []
        var failedDeletes: [CKRecordZone.ID: CKError] = [:]
        for zone in saves {
            if case .failure(let error)? = results.saveResults[zone.zoneID] {
                failedSaves.append(.init(zone: zone, error: CKError(error)))
            }
        }
        for id in deletes {
            if case .failure(let error)? = results.deleteResults[id] { failedDeletes[id] = CKError(error) }
        }
        engine.state.sent([], saves.map { .saveZone($0) } + deletes.map { .deleteZone($0) })
        let failed = Set(failedSaves.map(\.zone.zoneID))
        await engine.report(
            .sentDatabaseChanges(
                .init(
                    savedZones: saves.filter { !failed.contains($0.zoneID) }, failedZoneSaves: failedSaves,
                    deletedZoneIDs: deletes.filter { failedDeletes[$0] == nil }, failedZoneDeletes: failedDeletes)))
        await engine.reportState()
    }

    private func send(_ batch: CKSyncEngine.RecordZoneChangeBatch) async throws {
        let results = try await database.modifyRecords(
            saving: batch.recordsToSave, deleting: batch.recordIDsToDelete, atomically: batch.atomicByZone)
        var saved: [CKRecord] = []
        var failedSaves: [CKSyncEngine.Event.SentRecordZoneChanges.FailedRecordSave] = []
        var failedDeletes: [CKRecord.ID: CKError] = [:]
        for record in batch.recordsToSave {
            switch results.saveResults[record.recordID] {
            case .success(let record)?: saved.append(record)
            case .failure(let error)?: failedSaves.append(.init(record: record, error: CKError(error)))
            case nil: break
            }
        }
        for id in batch.recordIDsToDelete {
            if case .failure(let error)? = results.deleteResults[id] { failedDeletes[id] = CKError(error) }
        }
        let errors = failedSaves.map(\.error) + failedDeletes.values
        let passing = errors.first(where: \.isTransient)
        // What may pass stays to be sent; of the rest, the app decides what it sends again.
        let saves = batch.recordsToSave.map(\.recordID).filter { id in
            !failedSaves.contains { $0.record.recordID.isEqual(id) && $0.error.isTransient }
        }
        let deletes = batch.recordIDsToDelete.filter { failedDeletes[$0]?.isTransient != true }
        engine.state.sent(saves.map { .saveRecord($0) } + deletes.map { .deleteRecord($0) }, [])
        await engine.report(
            .sentRecordZoneChanges(
                .init(
                    savedRecords: saved, failedRecordSaves: failedSaves,
                    deletedRecordIDs: batch.recordIDsToDelete.filter { failedDeletes[$0] == nil },
                    failedRecordDeletes: failedDeletes)))
        await engine.reportState()
        if let passing { throw passing }
    }
}
