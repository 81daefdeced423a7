import Foundation

/// One sending of a sync engine: zones first, then the batches of records that the delegate gives.
struct SyncSend: Sendable {
    let engine: CKSyncEngine
    let scope: CKSyncEngine.Scope

    func run() async throws {
        guard !engine.state.pendingDatabaseChanges.isEmpty || !engine.state.pendingRecordZoneChanges.isEmpty else {
            return
        }
        await engine.tell(.willSendChanges)
        try await zones()
        let context = CKSyncEngine.SendChangesContext(options: CKSyncEngine.SendChangesOptions(scope: scope))
        while !engine.state.pendingRecordZoneChanges.isEmpty {
            try Task.checkCancellation()
            guard let batch = await engine.delegate.nextRecordZoneChangeBatch(context, syncEngine: engine) else {
                break
            }
            try await send(batch)
        }
        await engine.tell(.didSendChanges)
    }

    private func zones() async throws {
        var saves: [CKRecordZone] = []
        var deletes: [CKRecordZone.ID] = []
        for change in engine.state.pendingDatabaseChanges {
            switch change {
            case .saveZone(let zone): if scope.contains(zone.zoneID) { saves.append(zone) }
            case .deleteZone(let id): if scope.contains(id) { deletes.append(id) }
            }
        }
        guard !saves.isEmpty || !deletes.isEmpty else { return }
        let results = try await engine.database.modifyRecordZones(saving: saves, deleting: deletes)
        var failedSaves: [(zone: CKRecordZone, error: CKError)] = []
        var failedDeletes: [CKRecordZone.ID: CKError] = [:]
        for zone in saves {
            if case .failure(let error)? = results.saveResults[zone.zoneID] {
                failedSaves.append((zone, CKError(error)))
            }
        }
        for id in deletes {
            if case .failure(let error)? = results.deleteResults[id] { failedDeletes[id] = CKError(error) }
        }
        engine.state.remove(pendingDatabaseChanges: saves.map { .saveZone($0) } + deletes.map { .deleteZone($0) })
        let failed = Set(failedSaves.map(\.zone.zoneID))
        await engine.tell(
            .sentDatabaseChanges(
                .init(
                    savedZones: saves.filter { !failed.contains($0.zoneID) }, failedZoneSaves: failedSaves,
                    deletedZoneIDs: deletes.filter { failedDeletes[$0] == nil }, failedZoneDeletes: failedDeletes)))
        await engine.tellState()
    }

    private func send(_ batch: CKSyncEngine.RecordZoneChangeBatch) async throws {
        let results = try await engine.database.modifyRecords(
            saving: batch.recordsToSave, deleting: batch.recordIDsToDelete, atomically: batch.atomicByZone)
        var saved: [CKRecord] = []
        var failedSaves: [(record: CKRecord, error: CKError)] = []
        var failedDeletes: [CKRecord.ID: CKError] = [:]
        for record in batch.recordsToSave {
            switch results.saveResults[record.recordID] {
            case .success(let record)?: saved.append(record)
            case .failure(let error)?: failedSaves.append((record, CKError(error)))
            case nil: break
            }
        }
        for id in batch.recordIDsToDelete {
            if case .failure(let error)? = results.deleteResults[id] { failedDeletes[id] = CKError(error) }
        }
        let errors = failedSaves.map(\.error) + failedDeletes.values
        let passing = errors.first(where: \.isTransient)
        // What may pass stays to be sent; of the rest, the app decides what it sends again.
        engine.state.remove(
            pendingRecordZoneChanges: batch.recordsToSave.map(\.recordID).filter { id in
                !failedSaves.contains { $0.record.recordID.isEqual(id) && $0.error.isTransient }
            }.map { .saveRecord($0) })
        engine.state.remove(
            pendingRecordZoneChanges: batch.recordIDsToDelete.filter { failedDeletes[$0]?.isTransient != true }.map {
                .deleteRecord($0)
            })
        await engine.tell(
            .sentRecordZoneChanges(
                .init(
                    savedRecords: saved, failedRecordSaves: failedSaves,
                    deletedRecordIDs: batch.recordIDsToDelete.filter { failedDeletes[$0] == nil },
                    failedRecordDeletes: failedDeletes)))
        await engine.tellState()
        if let passing { throw passing }
    }
}
