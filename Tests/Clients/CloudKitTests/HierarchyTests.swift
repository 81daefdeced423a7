import FanfareCloudKit
import Foundation
import Testing

/// Hierarchies and shares, as apps meet them.
@Suite struct HierarchyTests {
    @Test("records are saved in any order, and a parent that is nowhere is a referenceViolation")
    func order() async throws {
        let notes = try await NoteZone()
        let top = notes.note("top")
        let middle = notes.note("middle", below: top)
        let saved = try await notes.database.modifyRecords(
            saving: [notes.note("low", below: middle), middle, top], deleting: [])
        for result in saved.saveResults.values { _ = try result.get() }
        let orphan = notes.note("orphan", below: notes.note("nowhere"))
        #expect(await errorCode { try await notes.database.save(orphan) } == .referenceViolation)
    }

    @Test("a parent is deleted with its children, not without them")
    func deletion() async throws {
        let notes = try await NoteZone()
        let top = notes.note("top")
        let low = notes.note("low", below: top)
        _ = try await notes.database.modifyRecords(saving: [top, low], deleting: [])
        #expect(await errorCode { try await notes.database.deleteRecord(withID: top.recordID) } == .referenceViolation)
        let deleted = try await notes.database.modifyRecords(saving: [], deleting: [top.recordID, low.recordID])
        for result in deleted.deleteResults.values { try result.get() }
    }

    @Test("a record is shared once")
    func sharedOnce() async throws {
        let notes = try await NoteZone()
        let (root, database) = (notes.note("root"), notes.database)
        let low = notes.note("low", below: root)
        let saved = try await database.modifyRecords(saving: [low, CKShare(rootRecord: root), root], deleting: [])
        for result in saved.saveResults.values { _ = try result.get() }
        for id in [root.recordID, low.recordID] {
            let note = try await database.record(for: id)
            let share = CKShare(rootRecord: note)
            let results = try await database.modifyRecords(saving: [note, share], deleting: [])
            #expect(await errorCode { _ = try results.saveResults[share.recordID]?.get() } == .alreadyShared)
        }
        #expect(await errorCode { try await database.save(CKShare(recordZoneID: notes.zone.zoneID)) } == .alreadyShared)
    }

    /// A delegate that keeps the zones which were saved.
    private actor Zones: CKSyncEngineDelegate {
        private(set) var saved: [CKRecordZone] = []

        func handleEvent(_ event: CKSyncEngine.Event, syncEngine: CKSyncEngine) {
            if case .sentDatabaseChanges(let sent) = event { saved += sent.savedZones }
        }

        func nextRecordZoneChangeBatch(
            _ context: CKSyncEngine.SendChangesContext, syncEngine: CKSyncEngine
        ) async -> CKSyncEngine.RecordZoneChangeBatch? { nil }
    }

    @Test("a zone has its share in every call and event that returns it")
    func returnedZones() async throws {
        let notes = try await NoteZone()
        let (id, database) = (notes.zone.zoneID, notes.database)
        try await database.save(CKShare(recordZoneID: id))
        let zones = Zones()
        var configuration = CKSyncEngine.Configuration(
            database: database, stateSerialization: nil, delegate: zones)
        configuration.automaticallySync = false
        let engine = CKSyncEngine(configuration)
        engine.state.add(pendingDatabaseChanges: [.saveZone(CKRecordZone(zoneID: id))])
        try await engine.sendChanges()
        var returned = await zones.saved
        returned += try await database.modifyRecordZones(saving: [CKRecordZone(zoneID: id)], deleting: []).saveResults
            .values.map { try $0.get() }
        returned += try await database.recordZones(for: [id]).values.map { try $0.get() }
        let all = CKFetchRecordZonesOperation.fetchAllRecordZonesOperation()
        let save = CKModifyRecordZonesOperation(recordZonesToSave: [notes.zone], recordZoneIDsToDelete: nil)
        let seen = Guarded<[CKRecordZone]>([])
        all.perRecordZoneResultBlock = { _, result in
            if case .success(let zone) = result { seen.update { $0.append(zone) } }
        }
        save.perRecordZoneSaveBlock = { _, result in
            if case .success(let zone) = result { seen.update { $0.append(zone) } }
        }
        for operation in [all, save] {
            await withCheckedContinuation { continuation in
                operation.completionBlock = { continuation.resume() }
                database.add(operation)
            }
        }
        returned += seen.value.filter { $0.zoneID == id }
        #expect(returned.count == 5)
        for zone in returned { #expect(zone.share?.recordID.recordName == CKRecordNameZoneWideShare) }
    }

    @Test("a root is saved again after it was shared, and after it is shared no more")
    func rootAfterSharing() async throws {
        let notes = try await NoteZone()
        let (root, database) = (notes.note("root"), notes.database)
        try await database.save(root)
        let share = CKShare(rootRecord: root)
        for edition in 0..<2 {
            let saved = try await database.modifyRecords(
                saving: edition == 0 ? [root, share] : [root], deleting: edition == 0 ? [] : [share.recordID])
            _ = try #require(saved.saveResults[root.recordID]).get()
            let fetched = try await database.record(for: root.recordID)
            #expect(root.recordChangeTag == fetched.recordChangeTag)
            #expect(root.share?.recordID == (edition == 0 ? share.recordID : nil) && root.share == fetched.share)
            root["title"] = "edition \(edition)"
            try await database.save(root)
        }
    }

    @Test("a zone has its share, in its copies and archives, too; a participant leaves by deleting the zone")
    func zones() async throws {
        let notes = try await NoteZone()
        let (id, database) = (notes.zone.zoneID, notes.database)
        #expect(try await database.recordZone(for: id).share == nil)
        let share = CKShare(recordZoneID: id)
        share.publicPermission = .readWrite
        try await database.save(share)
        let fetched = try await database.recordZone(for: id)
        let listed = try await database.allRecordZones().first { $0.zoneID == id }
        let saved = try await database.save(CKRecordZone(zoneID: id))
        let data = try NSKeyedArchiver.archivedData(withRootObject: fetched, requiringSecureCoding: true)
        let archived = try NSKeyedUnarchiver.unarchivedObject(ofClass: CKRecordZone.self, from: data)
        for zone in [fetched, listed, saved, archived] {
            #expect(
                zone?.share?.recordID == share.recordID && zone?.share?.recordID.recordName == CKRecordNameZoneWideShare
            )
        }
        let note = notes.note("note")
        try await database.save(note)
        let second = CKShare(rootRecord: note)
        let results = try await database.modifyRecords(saving: [note, second], deleting: [])
        #expect(await errorCode { _ = try results.saveResults[second.recordID]?.get() } == .alreadyShared)

        let bob = notes.devices.device(of: "bob")
        let metadata = try await bob.shareMetadata(for: try #require(share.url))
        _ = try await bob.accept(metadata)
        let shared = try #require(try await bob.sharedCloudDatabase.allRecordZones().first)
        #expect(shared.share?.recordID.recordName == CKRecordNameZoneWideShare)
        try await bob.sharedCloudDatabase.deleteRecordZone(withID: shared.zoneID)
        #expect(try await bob.sharedCloudDatabase.allRecordZones().isEmpty)
        #expect(try await database.record(for: note.recordID).recordID == note.recordID)
    }
}

extension HierarchyTests {
    @Test("all zones are deleted in one operation, as Apple's article on requests to delete data does it")
    func everything() async throws {
        let devices = try await Devices()
        let database = devices.device().privateCloudDatabase
        let zone = try await database.save(CKRecordZone(zoneName: devices.name("Notes")))
        let records = [CKRecord(recordType: "Note"), CKRecord(recordType: "Note", zoneID: zone.zoneID)]
        for record in records { try await database.save(record) }
        let ids = try await database.allRecordZones().map(\.zoneID)
        #expect(ids.count == 2)
        let deleted = try await database.modifyRecordZones(saving: [], deleting: ids)
        for result in deleted.deleteResults.values { try result.get() }
        for (record, code) in zip(records, [.unknownItem, .zoneNotFound] as [CKError.Code]) {
            #expect(await errorCode { _ = try await database.record(for: record.recordID) } == code)
        }
        #expect(try await database.allRecordZones().map(\.zoneID) == [.default])
    }
}
