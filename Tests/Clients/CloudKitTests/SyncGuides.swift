import FanfareCloudKit
import Foundation
import TestSupport
import Testing

/// Zones and their change feeds, as Apple's guides of syncing write them.
@Suite struct SyncGuides {
    @Test("changes of databases and zones come by token")
    func tokens() async throws {
        let devices = try await Devices()
        let database = devices.device().privateCloudDatabase
        let zone = CKRecordZone(zoneName: devices.name("Notes"))
        try await database.save(zone)
        #expect(Set(try await database.allRecordZones().map(\.zoneID)) == [zone.zoneID, .default])
        let first = try await database.databaseChanges(since: nil)
        #expect(first.modifications.map(\.zoneID) == [zone.zoneID] && first.deletions.isEmpty && !first.moreComing)

        let parent = CKRecord(recordType: "Note", recordID: CKRecord.ID(recordName: "parent", zoneID: zone.zoneID))
        let child = CKRecord(recordType: "Note", recordID: CKRecord.ID(recordName: "child", zoneID: zone.zoneID))
        child.setParent(parent)
        child["parent"] = CKRecord.Reference(record: parent, action: .deleteSelf)
        let results = try await database.modifyRecords(saving: [parent, child], deleting: [])
        for id in [parent.recordID, child.recordID] { _ = try #require(results.saveResults[id]).get() }
        let changes = try await database.recordZoneChanges(inZoneWith: zone.zoneID, since: nil)
        #expect(Set(changes.modificationResultsByID.keys) == [parent.recordID, child.recordID])
        let fetched = try #require(changes.modificationResultsByID[child.recordID]).get().record
        #expect(fetched.parent?.recordID == parent.recordID)

        try await database.deleteRecord(withID: parent.recordID)
        let later = try await database.recordZoneChanges(inZoneWith: zone.zoneID, since: changes.changeToken)
        #expect(Set(later.deletions.map(\.recordID)) == [parent.recordID, child.recordID])
        #expect(later.modificationResultsByID.isEmpty)
        try await database.deleteRecordZone(withID: zone.zoneID)
        let last = try await database.databaseChanges(since: first.changeToken)
        #expect(last.deletions.map(\.zoneID) == [zone.zoneID])
    }

    @Test("a save is atomic in a custom zone, unless the caller turns it off")
    func atomic() async throws {
        let devices = try await Devices()
        let database = devices.device().privateCloudDatabase
        let zone = CKRecordZone(zoneName: devices.name("Notes"))
        try await database.save(zone)
        let record = CKRecord(recordType: "Note", zoneID: zone.zoneID)
        try await database.save(record)
        let stale = try await database.record(for: record.recordID)
        record["text"] = "a"
        try await database.save(record)
        stale["text"] = "b"
        let other = CKRecord(recordType: "Note", zoneID: zone.zoneID)
        let refused = try await database.modifyRecords(saving: [other, stale], deleting: [])
        #expect(Self.code(refused.saveResults[other.recordID]) == .batchRequestFailed)
        #expect(Self.code(refused.saveResults[stale.recordID]) == .serverRecordChanged)
        let apart = try await database.modifyRecords(saving: [other, stale], deleting: [], atomically: false)
        #expect(Self.code(apart.saveResults[other.recordID]) == nil)
        #expect(Self.code(apart.saveResults[stale.recordID]) == .serverRecordChanged)
    }

    private static func code(_ result: Result<CKRecord, any Error>?) -> CKError.Code? {
        if case .failure(let error)? = result { (error as? CKError)?.code } else { nil }
    }

    @Test("operations call their blocks in order, and wait for those that they depend on")
    func operations() async throws {
        let devices = try await Devices()
        let database = devices.device().privateCloudDatabase
        let zone = CKRecordZone(zoneName: devices.name("Notes"))
        let good = CKRecord(recordType: "Note", zoneID: zone.zoneID)
        good["number"] = 1
        let bad = CKRecord(recordType: "Note", zoneID: zone.zoneID)
        bad["number"] = "one"
        let called = Collected()

        let making = CKModifyRecordZonesOperation(recordZonesToSave: [zone])
        making.modifyRecordZonesResultBlock = { called.add("zone \($0.isSuccess)") }
        let saving = CKModifyRecordsOperation(recordsToSave: [good, bad])
        saving.isAtomic = false
        saving.qualityOfService = .userInitiated
        saving.configuration.timeoutIntervalForRequest = 30
        saving.addDependency(making)
        saving.perRecordSaveBlock = { _, result in called.add("save \(result.isSuccess)") }
        saving.modifyRecordsResultBlock = { called.add("saved \($0.isSuccess)") }
        saving.modifyRecordsCompletionBlock = { saved, _, error in
            let error = error as? CKError
            called.add("\(error?.code ?? .internalError) of \(error?.partialErrorsByItemID?.count ?? 0)")
        }
        let fetching = CKFetchRecordZoneChangesOperation(
            recordZoneIDs: [zone.zoneID], configurationsByRecordZoneID: [zone.zoneID: .init(desiredKeys: ["number"])])
        fetching.addDependency(saving)
        fetching.recordWasChangedBlock = { _, result in
            called.add("changed \((try? result.get())?["number"] as? Int ?? 0)")
        }
        fetching.recordZoneFetchResultBlock = { _, result in called.add("zone ended \(result.isSuccess)") }
        await withCheckedContinuation { (ended: CheckedContinuation<Void, Never>) in
            fetching.fetchRecordZoneChangesResultBlock = { result in
                called.add("ended \(result.isSuccess)")
                ended.resume()
            }
            for operation in [fetching, saving, making] { database.add(operation) }
        }
        #expect(
            called.all == [
                "zone true", "save true", "save false", "saved true", "partialFailure of 1", "changed 1",
                "zone ended true",
                "ended true",
            ])
    }

    @Test("a cancelled operation says so")
    func cancelled() async throws {
        let database = try await Devices().device().privateCloudDatabase
        let operation = CKQueryOperation(query: CKQuery(recordType: "Note", predicate: NSPredicate(value: true)))
        operation.cancel()
        let code = await withCheckedContinuation { (ended: CheckedContinuation<CKError.Code?, Never>) in
            operation.queryResultBlock = { result in
                if case .failure(let error as CKError) = result { ended.resume(returning: error.code) }
            }
            database.add(operation)
        }
        #expect(code == .operationCancelled)
    }

    @Test("completion handlers are called with the results")
    func handlers() async throws {
        let devices = try await Devices()
        let container = devices.device()
        let database = container.privateCloudDatabase
        let record = CKRecord(recordType: devices.name("Note"))
        let saved = await withCheckedContinuation { ended in
            database.save(record) { (record: CKRecord?, _) in ended.resume(returning: record) }
        }
        #expect(saved === record)
        let fetched = await withCheckedContinuation { ended in
            database.fetch(withRecordID: record.recordID) { record, _ in ended.resume(returning: record?.recordID) }
        }
        #expect(fetched == record.recordID)
        let error = await withCheckedContinuation { ended in
            database.fetch(withRecordID: CKRecord.ID(recordName: "nothing")) { _, error in
                ended.resume(returning: error)
            }
        }
        #expect((error as? CKError)?.code == .unknownItem)
        let user = await withCheckedContinuation { ended in
            container.fetchUserRecordID { id, _ in ended.resume(returning: id) }
        }
        #expect(user?.recordName.hasPrefix("_") == true)
    }

    @Test("a zone is shared by its link, and the participant reads it")
    func sharing() async throws {
        let devices = try await Devices()
        let (alice, bob) = (devices.device(of: "alice"), devices.device(of: "bob"))
        let zone = CKRecordZone(zoneName: devices.name("Shared"))
        try await alice.privateCloudDatabase.save(zone)
        let root = CKRecord(recordType: "Note", zoneID: zone.zoneID)
        root["text"] = "for all"
        let share = CKShare(rootRecord: root)
        share.publicPermission = .readWrite
        let results = try await alice.privateCloudDatabase.modifyRecords(saving: [root, share], deleting: [])
        _ = try #require(results.saveResults[share.recordID]).get()

        let metadata = try await bob.shareMetadata(for: #require(share.url))
        #expect(metadata.hierarchicalRootRecordID?.recordName == root.recordID.recordName)
        try await bob.accept(metadata)
        let database = bob.sharedCloudDatabase
        let shared = try #require(try await database.allRecordZones().first)
        #expect(shared.zoneID.ownerName == (try await alice.userRecordID()).recordName)
        let changes = try await database.recordZoneChanges(inZoneWith: shared.zoneID, since: nil)
        let id = CKRecord.ID(recordName: root.recordID.recordName, zoneID: shared.zoneID)
        let theirs = try #require(changes.modificationResultsByID[id]).get().record
        theirs["text"] = "changed"
        try await database.save(theirs)
        #expect(try await alice.privateCloudDatabase.record(for: root.recordID)["text"] as? String == "changed")
    }
}

extension Result {
    fileprivate var isSuccess: Bool { if case .success = self { true } else { false } }
}

/// What blocks were called with, in order.
private final class Collected: Sendable {
    private let lines = Guarded<[String]>([])

    var all: [String] { lines.value }
    func add(_ line: String) { lines.update { $0.append(line) } }
}
