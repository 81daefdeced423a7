import Foundation

/// One send of a sync engine: zones first, then the batches of records that the delegate gives.
struct SyncSend: Sendable {
    /// The changes of the running send: `RecordZoneChangeBatch` leaves those out that wait for the next one. No closure:
    /// an optimised build of Swift 6.3.1 ends with signal 11 where a task-local value has a function type.
    @TaskLocal static var changes: CKSyncEngine.State?

    let engine: CKSyncEngine
    let context: CKSyncEngine.SendChangesContext

    /// The failures of a send, which it throws when all events were handled.
    private struct Failures {
        var items: [(id: any Hashable & Sendable, error: any Error)] = []
        /// The first error of a whole request.
        var request: CKError?
        /// True if nothing more can be sent now.
        var isEnd = false

        mutating func add(_ error: CKError, of id: any Hashable & Sendable) {
            items.append((id, error))
            if error.isForRetry { isEnd = true }
        }

        func end() throws {
            if let request { throw request }
            if !items.isEmpty { throw CKError.partialFailure(items) }
        }
    }

    private var scope: CKSyncEngine.SendChangesOptions.Scope { context.options.scope }
    private var database: CKDatabase { engine.database(context.options.operationGroup) }

    func run() async throws {
        guard engine.state.hasPending else { return }
        await engine.report(.willSendChanges(.init(context: context)))
        engine.state.beginSending()
        var failures = Failures()
        await zones(&failures)
        while !failures.isEnd, engine.state.mayHaveMore, !Task.isCancelled, let batch = await nextBatch() {
            await send(batch, &failures)
        }
        if Task.isCancelled { failures.request = CKError(.operationCancelled, "the sending was cancelled") }
        engine.state.endSending()
        await engine.report(.didSendChanges(.init(context: context)))
        try failures.end()
    }

    private func zones(_ failures: inout Failures) async {
        var saves: [CKRecordZone] = []
        var deletes: [CKRecordZone.ID] = []
        for change in engine.state.pendingDatabaseChanges {
            switch change {
            case .saveZone(let zone): if scope.contains(zone: zone.zoneID) { saves.append(zone) }
            case .deleteZone(let id): if scope.contains(zone: id) { deletes.append(id) }
            }
        }
        guard !saves.isEmpty || !deletes.isEmpty else { return }
        engine.state.send(saves.map { .saveZone($0) } + deletes.map { .deleteZone($0) })
        var errors: [CKRecordZone.ID: CKError] = [:]
        var saved: [CKRecordZone] = []
        do {
            let results = try await database.modifyRecordZones(saving: saves, deleting: deletes)
            for id in saves.map(\.zoneID) {
                do { if let zone = try results.saveResults[id]?.get() { saved.append(zone) } } catch {
                    errors[id] = CKError(error)
                }
            }
            for id in deletes { errors[id] = results.deleteResults[id]?.error.map { CKError($0) } }
        } catch {
            failures.request = CKError(error)
            for id in saves.map(\.zoneID) + deletes { errors[id] = CKError(error) }
        }
        for (id, error) in errors { failures.add(error, of: id) }
        engine.state.finish(zones: Set(errors.filter { $1.isForRetry }.keys))
        await engine.report(
            .sentDatabaseChanges(
                .init(
                    savedZones: saved,
                    failedZoneSaves: saves.compactMap { zone in
                        errors[zone.zoneID].map { .init(zone: zone, error: $0) }
                    }, deletedZoneIDs: deletes.filter { errors[$0] == nil },
                    failedZoneDeletes: errors.filter { id, _ in deletes.contains { $0.isEqual(id) } })))
        await engine.reportState()
    }

    /// The delegate's next batch, without the changes that wait for the next send; nil at the end.
    private func nextBatch() async -> CKSyncEngine.RecordZoneChangeBatch? {
        let state = engine.state
        let given = await Self.$changes.withValue(state) {
            await engine.delegate.nextRecordZoneChangeBatch(context, syncEngine: engine)
        }
        guard var batch = given else { return nil }
        batch.recordsToSave.removeAll { !state.isOpen($0.recordID) }
        batch.recordIDsToDelete.removeAll { !state.isOpen($0) }
        return batch.recordsToSave.isEmpty && batch.recordIDsToDelete.isEmpty ? nil : batch
    }

    private func send(_ batch: CKSyncEngine.RecordZoneChangeBatch, _ failures: inout Failures) async {
        let ids = batch.recordsToSave.map(\.recordID)
        engine.state.send(ids.map { .saveRecord($0) } + batch.recordIDsToDelete.map { .deleteRecord($0) })
        var saved: [CKRecord] = []
        var failedSaves: [CKSyncEngine.Event.SentRecordZoneChanges.FailedRecordSave] = []
        var failedDeletes: [CKRecord.ID: CKError] = [:]
        do {
            let results = try await database.modifyRecords(
                saving: batch.recordsToSave, deleting: batch.recordIDsToDelete, atomically: batch.atomicByZone)
            for record in batch.recordsToSave {
                switch results.saveResults[record.recordID] {
                case .success(let record)?: saved.append(record)
                case .failure(let error)?: failedSaves.append(.init(record: record, error: CKError(error)))
                case nil: break
                }
            }
            for id in batch.recordIDsToDelete {
                failedDeletes[id] = results.deleteResults[id]?.error.map { CKError($0) }
            }
        } catch {
            failures.request = failures.request ?? CKError(error)
            failedSaves = batch.recordsToSave.map { .init(record: $0, error: CKError(error)) }
            for id in batch.recordIDsToDelete { failedDeletes[id] = CKError(error) }
        }
        // What may pass stays to be sent; of the rest, the app decides what it sends again.
        var kept: Set<CKRecord.ID> = []
        for (id, error) in failedSaves.map({ ($0.record.recordID, $0.error) }) + failedDeletes.map({ ($0, $1) }) {
            failures.add(error, of: id)
            if error.isForRetry { kept.insert(id) }
        }
        engine.state.finish(records: kept)
        await engine.report(
            .sentRecordZoneChanges(
                .init(
                    savedRecords: saved, failedRecordSaves: failedSaves,
                    deletedRecordIDs: batch.recordIDsToDelete.filter { failedDeletes[$0] == nil },
                    failedRecordDeletes: failedDeletes)))
        await engine.reportState()
    }
}
