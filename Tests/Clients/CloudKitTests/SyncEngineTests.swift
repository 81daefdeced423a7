import FanfareCloudKit
import Foundation
import Testing

/// Two devices whose notes a sync engine keeps the same.
@Suite struct SyncEngineTests {
    /// An app: notes by name, and what it has not sent.
    private actor Notes: CKSyncEngineDelegate {
        let zone: CKRecordZone.ID
        var texts: [String: String] = [:]
        var known: [String: CKRecord] = [:]
        var state: CKSyncEngine.State.Serialization?
        var conflicts = 0

        init(zone: CKRecordZone.ID) { self.zone = zone }

        func id(_ name: String) -> CKRecord.ID { CKRecord.ID(recordName: name, zoneID: zone) }

        func write(_ text: String?, _ name: String, _ engine: CKSyncEngine) {
            texts[name] = text
            engine.state.add(
                pendingRecordZoneChanges: [text == nil ? .deleteRecord(id(name)) : .saveRecord(id(name))])
        }

        func handleEvent(_ event: CKSyncEngine.Event, syncEngine: CKSyncEngine) {
            switch event {
            case .stateUpdate(let update): state = update.stateSerialization
            case .fetchedRecordZoneChanges(let changes):
                for change in changes.modifications { take(change.record) }
                for deletion in changes.deletions { texts[deletion.recordID.recordName] = nil }
            case .sentRecordZoneChanges(let sent):
                for record in sent.savedRecords { known[record.recordID.recordName] = record }
                for failure in sent.failedRecordSaves where failure.error.code == .serverRecordChanged {
                    // The device that sends last wins.
                    conflicts += 1
                    known[failure.record.recordID.recordName] = failure.error.serverRecord
                    syncEngine.state.add(pendingRecordZoneChanges: [.saveRecord(failure.record.recordID)])
                }
            default: break
            }
        }

        private func take(_ record: CKRecord) {
            known[record.recordID.recordName] = record
            texts[record.recordID.recordName] = record["text"]
        }

        private func record(_ id: CKRecord.ID) -> CKRecord? {
            guard let text = texts[id.recordName] else { return nil }
            let record = known[id.recordName] ?? CKRecord(recordType: "Note", recordID: id)
            record["text"] = text
            return record
        }

        func nextRecordZoneChangeBatch(
            _ context: CKSyncEngine.SendChangesContext, syncEngine: CKSyncEngine
        ) async -> CKSyncEngine.RecordZoneChangeBatch? {
            await CKSyncEngine.RecordZoneChangeBatch(pendingChanges: syncEngine.state.pendingRecordZoneChanges) {
                await self.record($0)
            }
        }
    }

    @Test("two devices come to the same notes, over restarts and conflicts")
    func syncing() async throws {
        let devices = try await Devices()
        let zone = CKRecordZone(zoneName: devices.name("Notes"))
        let (first, second) = (Notes(zone: zone.zoneID), Notes(zone: zone.zoneID))
        func engine(_ notes: Notes, _ device: String) async -> CKSyncEngine {
            var configuration = CKSyncEngine.Configuration(
                database: devices.device(device).privateCloudDatabase, stateSerialization: await notes.state,
                delegate: notes)
            configuration.automaticallySync = false
            return CKSyncEngine(configuration)
        }
        let phone = await engine(first, "phone")
        phone.state.add(pendingDatabaseChanges: [.saveZone(zone)])
        await first.write("one", "a", phone)
        await first.write("two", "b", phone)
        try await phone.sendChanges()
        // From here on the phone is told of deletions, too.
        try await phone.fetchChanges()
        #expect(phone.state.pendingRecordZoneChanges.isEmpty && phone.state.pendingDatabaseChanges.isEmpty)

        let pad = await engine(second, "pad")
        try await pad.fetchChanges()
        #expect(await second.texts == ["a": "one", "b": "two"])
        await second.write("uno", "a", pad)
        await second.write(nil, "b", pad)
        await first.write("ONE", "a", phone)
        try await phone.sendChanges()
        try await pad.sendChanges()
        #expect(await second.conflicts == 1)

        // A restart goes on from the state, with what was not sent.
        let data = try JSONEncoder().encode(await first.state)
        #expect(try JSONDecoder().decode(CKSyncEngine.State.Serialization.self, from: data) as Any? != nil)
        let restarted = await engine(first, "phone")
        try await restarted.fetchChanges()
        #expect(await first.texts == ["a": "uno"])
        #expect(await first.texts == second.texts)
    }
}
