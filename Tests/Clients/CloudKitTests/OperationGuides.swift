import FanfareCloudKit
import Foundation
import TestSupport
import Testing

/// Operations as apps write them: blocks gather in variables of the app's, and configurations are objects.
@Suite struct OperationGuides {
    @Test("blocks change variables around them")
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

    @Test("settings of an operation are those of its configuration, and a group has its guesses")
    func settings() async throws {
        let devices = try await Devices()
        let container = devices.device()
        let operation = CKFetchRecordZonesOperation(recordZoneIDs: [.default])
        operation.container = container
        operation.timeoutIntervalForRequest = 5
        operation.timeoutIntervalForResource = 50
        operation.isLongLived = true
        operation.allowsCellularAccess = false
        operation.longLivedOperationWasPersistedBlock = {}
        let id: CKOperation.ID = operation.operationID
        #expect(!id.isEmpty && operation.configuration.container === container)
        #expect(operation.configuration.timeoutIntervalForRequest == 5 && operation.timeoutIntervalForResource == 50)
        #expect(operation.configuration.isLongLived && !operation.configuration.allowsCellularAccess)
        let group = CKOperationGroup()
        group.expectedSendSize = .megabytes
        #expect(group.expectedSendSize.rawValue == 2 && group.expectedReceiveSize == .unknown)
        #expect(try await container.allLongLivedOperationIDs().isEmpty)

        // The container says where an operation of a queue of the app's own works.
        let names = await withCheckedContinuation { (ended: CheckedContinuation<[String]?, Never>) in
            operation.fetchRecordZonesCompletionBlock = { zones, _ in
                ended.resume(returning: zones?.keys.map(\.zoneName))
            }
            OperationQueue().addOperation(operation)
        }
        #expect(names == [CKRecordZone.ID.defaultZoneName])
    }

    @Test("zones are fetched by options, as CloudKit's first years called their configurations")
    func options() async throws {
        let devices = try await Devices()
        let database = devices.device().privateCloudDatabase
        let zone = try await database.save(CKRecordZone(zoneName: devices.name("Notes")))
        let record = CKRecord(recordType: "Note", zoneID: zone.zoneID)
        record["text"] = "a"
        record["more"] = "b"
        try await database.save(record)
        let options = CKFetchRecordZoneChangesOperation.ZoneOptions()
        options.desiredKeys = ["text"]
        let operation = CKFetchRecordZoneChangesOperation(
            recordZoneIDs: [zone.zoneID], optionsByRecordZoneID: [zone.zoneID: options])
        #expect(operation.optionsByRecordZoneID?[zone.zoneID] === options)
        let keys = await withCheckedContinuation { (ended: CheckedContinuation<[[String]], Never>) in
            var keys: [[String]] = []
            operation.recordChangedBlock = { keys.append($0.allKeys()) }
            operation.fetchRecordZoneChangesResultBlock = { _ in ended.resume(returning: keys) }
            database.add(operation)
        }
        #expect(keys == [["text"]])
    }

    @Test("a result block gets the failure of the whole, the older block gets the failures of items")
    func ends() async throws {
        let devices = try await Devices()
        let container = devices.device()
        let database = container.privateCloudDatabase
        let nowhere = CKRecordZone.ID(zoneName: "nowhere")
        func ends(_ database: CKDatabase) async throws -> [String] {
            let called = Guarded<[String]>([])
            let records = CKFetchRecordsOperation(recordIDs: [CKRecord.ID(recordName: "nothing")])
            records.fetchRecordsResultBlock = { called.add("records", $0) }
            records.fetchRecordsCompletionBlock = { called.add("records of old", $1) }
            let zones = CKFetchRecordZonesOperation(recordZoneIDs: [nowhere])
            zones.fetchRecordZonesResultBlock = { called.add("zones", $0) }
            zones.fetchRecordZonesCompletionBlock = { called.add("zones of old", $1) }
            let changes = CKFetchRecordZoneChangesOperation(recordZoneIDs: [nowhere])
            changes.fetchRecordZoneChangesResultBlock = { called.add("changes", $0) }
            changes.fetchRecordZoneChangesCompletionBlock = { called.add("changes of old", $0) }
            for operation in [records, zones, changes] as [CKDatabaseOperation] {
                await withCheckedContinuation { ended in
                    operation.completionBlock = { ended.resume() }
                    database.add(operation)
                }
            }
            return called.value
        }
        #expect(
            try await ends(database) == [
                "records -", "records of old partialFailure", "zones -", "zones of old partialFailure", "changes -",
                "changes of old partialFailure",
            ])
        let anonymous = CKContainer(configuration: devices.configuration()).privateCloudDatabase
        let refused = try await ends(anonymous)
        #expect(refused.count == 6 && refused.allSatisfy { $0.hasSuffix("notAuthenticated") }, "\(refused)")
    }
}

extension Guarded<[String]> {
    fileprivate func add(_ name: String, _ result: Result<Void, any Error>) {
        if case .failure(let error) = result { add(name, error) } else { add(name, nil) }
    }

    fileprivate func add(_ name: String, _ error: (any Error)?) {
        let code = error.map { "\((($0 as? CKError)?.code).map { "\($0)" } ?? "?")" } ?? "-"
        update { $0.append("\(name) \(code)") }
    }
}
