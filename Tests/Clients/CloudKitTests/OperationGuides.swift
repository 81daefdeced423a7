import FanfareCloudKit
import Foundation
import TestSupport
import Testing

/// Operations as apps write them: blocks gather in variables of the app's, and configurations are objects.
@Suite struct OperationGuides {
    @Test("blocks gather what they are told in variables around them")
    func gathering() async throws {
        let devices = try await Devices()
        let database = devices.device().privateCloudDatabase
        let type = devices.name("Note")
        let results = try await database.modifyRecords(
            saving: (0..<3).map { _ in CKRecord(recordType: type) }, deleting: [])
        let found = await withCheckedContinuation { (ended: CheckedContinuation<[CKRecord], Never>) in
            var found: [CKRecord] = []
            let operation = CKQueryOperation(query: CKQuery(recordType: type, predicate: NSPredicate(value: true)))
            operation.recordMatchedBlock = { _, result in if let record = try? result.get() { found.append(record) } }
            operation.queryResultBlock = { _ in ended.resume(returning: found) }
            database.add(operation)
        }
        #expect(Set(found.map(\.recordID)) == Set(results.saveResults.keys))
    }

    @MainActor @Test("blocks are called that were written on the main actor")
    func mainActor() async throws {
        let devices = try await Devices()
        let database = devices.device().privateCloudDatabase
        let names = await withCheckedContinuation { (ended: CheckedContinuation<[String], Never>) in
            var names: [String] = []
            let operation = CKFetchRecordZonesOperation(recordZoneIDs: [.default])
            operation.perRecordZoneResultBlock = { id, _ in names.append(id.zoneName) }
            operation.fetchRecordZonesResultBlock = { _ in ended.resume(returning: names) }
            database.add(operation)
        }
        #expect(names == [CKRecordZone.ID.defaultZoneName])
    }

    @Test("configurations are objects, of which an operation keeps a copy")
    func configurations() {
        let configuration = CKOperation.Configuration()
        configuration.timeoutIntervalForRequest = 5
        let operation = CKFetchRecordsOperation(recordIDs: [])
        operation.configuration = configuration
        configuration.timeoutIntervalForRequest = 6
        #expect(operation.configuration.timeoutIntervalForRequest == 5)
        operation.configuration.timeoutIntervalForRequest = 7
        #expect(operation.configuration.timeoutIntervalForRequest == 7)
        #expect((configuration.copy() as? CKOperation.Configuration)?.timeoutIntervalForRequest == 6)

        let zone = CKFetchRecordZoneChangesOperation.ZoneConfiguration()
        zone.desiredKeys = ["text"]
        zone.resultsLimit = 3
        let copy = zone.copy() as? CKFetchRecordZoneChangesOperation.ZoneConfiguration
        #expect(copy?.desiredKeys == ["text"] && copy?.resultsLimit == 3 && copy !== zone)
    }
}
