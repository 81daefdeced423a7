import FanfareCloudKit
import Foundation

/// An app on a device: notes by name, which it keeps the same as those of the user's other devices. Of two versions of
/// a note the later text wins, and a deletion wins over each.
actor SyncStore: CKSyncEngineDelegate {
    let zone: CKRecordZone.ID
    private(set) var texts: [String: String] = [:]
    private(set) var state: CKSyncEngine.State.Serialization?
    /// The number of batches that each note was in.
    private(set) var batches: [String: Int] = [:]
    private(set) var conflicts = 0
    private var known: [String: CKRecord] = [:]
    /// The notes that were changed here and not sent yet.
    private var changed: Set<String> = []

    init(zone: CKRecordZone.ID) { self.zone = zone }

    func id(_ name: String) -> CKRecord.ID { CKRecord.ID(recordName: name, zoneID: zone) }

    /// Writes notes, or deletes them.
    func write(_ notes: [(name: String, text: String?)], _ engine: CKSyncEngine) {
        for (name, text) in notes {
            texts[name] = text
            changed.insert(name)
        }
        engine.state.add(
            pendingRecordZoneChanges: notes.map {
                $0.text == nil ? .deleteRecord(id($0.name)) : .saveRecord(id($0.name))
            })
    }

    /// Adds the changes that were not sent to an engine that begins: the last state may be older than they are.
    func resume(_ engine: CKSyncEngine) {
        engine.state.add(
            pendingRecordZoneChanges: changed.sorted().map {
                texts[$0] == nil ? .deleteRecord(id($0)) : .saveRecord(id($0))
            })
    }

    func handleEvent(_ event: CKSyncEngine.Event, syncEngine: CKSyncEngine) {
        switch event {
        case .stateUpdate(let update): state = update.stateSerialization
        case .fetchedRecordZoneChanges(let changes):
            for change in changes.modifications { merge(change.record, syncEngine) }
            for deletion in changes.deletions { forget(deletion.recordID.recordName, syncEngine) }
        case .sentRecordZoneChanges(let sent):
            for record in sent.savedRecords {
                known[record.recordID.recordName] = record
                changed.remove(record.recordID.recordName)
            }
            for id in sent.deletedRecordIDs {
                known[id.recordName] = nil
                changed.remove(id.recordName)
            }
            for failure in sent.failedRecordSaves { failed(failure.record.recordID, failure.error, syncEngine) }
        default: break
        }
    }

    private func failed(_ id: CKRecord.ID, _ error: CKError, _ engine: CKSyncEngine) {
        switch error.code {
        case .serverRecordChanged:
            conflicts += 1
            guard let record = error.serverRecord else {
                return engine.state.add(pendingRecordZoneChanges: [.saveRecord(id)])
            }
            merge(record, engine)
        case .unknownItem: forget(id.recordName, engine)
        case .batchRequestFailed: engine.state.add(pendingRecordZoneChanges: [.saveRecord(id)])
        default: break
        }
    }

    private func merge(_ record: CKRecord, _ engine: CKSyncEngine) {
        let name = record.recordID.recordName
        let text = record["text"] as? String ?? ""
        // A deletion that was not sent yet wins.
        if changed.contains(name), texts[name] == nil { return }
        known[name] = record
        if changed.contains(name), let own = texts[name], own > text {
            engine.state.add(pendingRecordZoneChanges: [.saveRecord(record.recordID)])
        } else {
            texts[name] = text
            changed.remove(name)
            engine.state.remove(pendingRecordZoneChanges: [.saveRecord(record.recordID)])
        }
    }

    private func forget(_ name: String, _ engine: CKSyncEngine) {
        (texts[name], known[name]) = (nil, nil)
        changed.remove(name)
        engine.state.remove(pendingRecordZoneChanges: [.saveRecord(id(name)), .deleteRecord(id(name))])
    }

    func nextRecordZoneChangeBatch(
        _ context: CKSyncEngine.SendChangesContext, syncEngine: CKSyncEngine
    ) async -> CKSyncEngine.RecordZoneChangeBatch? {
        let batch = await CKSyncEngine.RecordZoneChangeBatch(
            pendingChanges: syncEngine.state.pendingRecordZoneChanges
        ) { await self.record($0) }
        for id in (batch?.recordsToSave ?? []).map(\.recordID) + (batch?.recordIDsToDelete ?? []) {
            batches[id.recordName, default: 0] += 1
        }
        return batch
    }

    private func record(_ id: CKRecord.ID) -> CKRecord? {
        guard let text = texts[id.recordName] else { return nil }
        let record = known[id.recordName] ?? CKRecord(recordType: "Note", recordID: id)
        record["text"] = text
        return record
    }
}
