import FanfareCloudKit
import Foundation
import Testing

/// Saves that meet a stored record: a conflict, also if both have the same values.
@Suite struct ConflictTests {
    @Test("a new record under the name of another is a conflict, with the same values and without any")
    func sameName() async throws {
        let devices = try await Devices()
        let database = devices.device().privateCloudDatabase
        let type = devices.name("Note")
        let id = CKRecord.ID(recordName: devices.name("settings"))
        let first = CKRecord(recordType: type, recordID: id)
        first["theme"] = "dark"
        try await database.save(first)

        let same = CKRecord(recordType: type, recordID: id)
        same["theme"] = "dark"
        #expect(await errorCode { try await database.save(same) } == .serverRecordChanged)
        #expect(
            await errorCode { try await database.save(CKRecord(recordType: type, recordID: id)) }
                == .serverRecordChanged)
        #expect(same.recordChangeTag == nil)
        #expect(try await database.record(for: id).recordChangeTag == first.recordChangeTag)
    }

    @Test("an old version with the values of the new one is a conflict")
    func staleVersion() async throws {
        let devices = try await Devices()
        let database = devices.device().privateCloudDatabase
        let record = CKRecord(recordType: devices.name("Note"))
        try await database.save(record)
        let stale = try await database.record(for: record.recordID)
        record["text"] = "a"
        try await database.save(record)
        stale["text"] = "a"
        #expect(await errorCode { try await database.save(stale) } == .serverRecordChanged)
    }

    @Test("a conflict in an atomic save is reported as one, and the others as batch failures")
    func atomic() async throws {
        let devices = try await Devices()
        let database = devices.device().privateCloudDatabase
        let zone = try await database.save(CKRecordZone(zoneName: devices.name("Notes")))
        let id = CKRecord.ID(recordName: "there", zoneID: zone.zoneID)
        try await database.save(CKRecord(recordType: "Note", recordID: id))
        let good = CKRecord(recordType: "Note", zoneID: zone.zoneID)
        let results = try await database.modifyRecords(
            saving: [CKRecord(recordType: "Note", recordID: id), good], deleting: [])
        #expect(await errorCode { _ = try results.saveResults[id]?.get() } == .serverRecordChanged)
        #expect(await errorCode { _ = try results.saveResults[good.recordID]?.get() } == .batchRequestFailed)
    }
}
