import FanfareCloudKit
import Foundation
import TestSupport
import Testing

/// The limits of one operation, as CloudKit's framework documents them.
@Suite struct LimitTests {
    @Test("400 records are saved together or not at all, and deleted")
    func items() async throws {
        let notes = try await NoteZone()
        try await notes.database.save(notes.notes(7..<8)[0])
        let refused = try await notes.database.modifyRecords(saving: notes.notes(0..<400), deleting: [])
        for (id, result) in refused.saveResults {
            let expected: CKError.Code = id.recordName == "n7" ? .serverRecordChanged : .batchRequestFailed
            #expect(await errorCode { _ = try result.get() } == expected)
        }
        #expect(refused.saveResults.count == 400)
        let saved = try await notes.database.modifyRecords(saving: notes.notes(8..<408), deleting: [])
        for result in saved.saveResults.values { _ = try result.get() }
        let ids = notes.notes(8..<408).map(\.recordID)
        #expect(try await notes.database.records(for: ids).values.allSatisfy { (try? $0.get()) != nil })
        let deleted = try await notes.database.modifyRecords(saving: [], deleting: ids)
        for result in deleted.deleteResults.values { try result.get() }
    }

    @Test("401 items are limitExceeded, also in several zones, and nothing is saved")
    func tooManyItems() async throws {
        let notes = try await NoteZone()
        let here = notes.notes(0..<201)
        let there = notes.notes(0..<200, in: .default)
        for records in [notes.notes(0..<401), here + there] {
            let code = await errorCode { _ = try await notes.database.modifyRecords(saving: records, deleting: []) }
            #expect(code == .limitExceeded)
        }
        #expect(await errorCode { _ = try await notes.database.record(for: here[0].recordID) } == .unknownItem)
    }

    @Test("400 records of a zone that is not atomic")
    func defaultZone() async throws {
        let notes = try await NoteZone()
        let records = (0..<400).map { number in
            CKRecord(recordType: "Note", recordID: CKRecord.ID(recordName: notes.devices.name("d\(number)-")))
        }
        let saved = try await notes.database.modifyRecords(saving: records, deleting: [])
        #expect(saved.saveResults.count == 400)
        for result in saved.saveResults.values { _ = try result.get() }
    }

    @Test("2 MB are saved together; an app that divides at limitExceeded comes to an end", arguments: [1, 3])
    func dividing(megabytes: Int) async throws {
        let notes = try await NoteZone()
        let text = String(repeating: "abcdefgh ", count: 2_000)
        let records = notes.notes(0..<(megabytes * 900_000 / text.utf8.count), text: text)
        var requests = 0
        func save(_ records: [CKRecord]) async throws {
            requests += 1
            do {
                let saved = try await notes.database.modifyRecords(saving: records, deleting: [])
                for result in saved.saveResults.values { _ = try result.get() }
            } catch let error as CKError where error.code == .limitExceeded && records.count > 1 {
                try await save(Array(records.prefix(records.count / 2)))
                try await save(Array(records.dropFirst(records.count / 2)))
            }
        }
        try await save(records)
        #expect(requests == (megabytes == 1 ? 1 : 3))
        #expect(
            try await notes.database.records(for: records.map(\.recordID)).values.allSatisfy { (try? $0.get()) != nil })
    }

    @Test("2 MB are changed together, too, in a zone that is atomic", arguments: [400, 40])
    func changing(count: Int) async throws {
        let notes = try await NoteZone()
        for letter in ["a", "b"] {
            let text = String(repeating: "\(letter)bcdefgh ", count: 2_000_000 / count / 9)
            let saved = try await notes.database.modifyRecords(
                saving: notes.notes(0..<count, text: text), deleting: [], savePolicy: .changedKeys)
            #expect(saved.saveResults.count == count)
            for result in saved.saveResults.values { _ = try result.get() }
        }
    }

    @Test("a sync engine sends as many records together as have room")
    func engineBatches() async throws {
        /// A delegate whose notes have 20 KB each.
        actor Large: CKSyncEngineDelegate {
            private(set) var sent: [Int] = []

            func handleEvent(_ event: CKSyncEngine.Event, syncEngine: CKSyncEngine) {
                if case .sentRecordZoneChanges(let event) = event { sent.append(event.savedRecords.count) }
            }

            func nextRecordZoneChangeBatch(
                _ context: CKSyncEngine.SendChangesContext, syncEngine: CKSyncEngine
            ) async -> CKSyncEngine.RecordZoneChangeBatch? {
                await CKSyncEngine.RecordZoneChangeBatch(pendingChanges: syncEngine.state.pendingRecordZoneChanges) {
                    let record = CKRecord(recordType: "Note", recordID: $0)
                    record["text"] = String(repeating: "abcdefgh ", count: 2_300)
                    return record
                }
            }
        }
        let notes = try await NoteZone()
        let large = Large()
        var configuration = CKSyncEngine.Configuration(
            database: notes.database, stateSerialization: nil, delegate: large)
        configuration.automaticallySync = false
        let engine = CKSyncEngine(configuration)
        engine.state.add(pendingRecordZoneChanges: notes.notes(0..<250).map { .saveRecord($0.recordID) })
        try await engine.sendChanges()
        #expect(engine.state.pendingRecordZoneChanges.isEmpty)
        let sent = await large.sent
        #expect(sent.reduce(0, +) == 250 && sent.dropLast().allSatisfy { $0 > 80 }, "\(sent)")
    }

    @Test("a record that is too large is limitExceeded, alone and among others, and not quotaExceeded")
    func recordSize() async throws {
        let notes = try await NoteZone()
        let large = notes.notes(0..<1, text: String(repeating: "x", count: 1 << 20))[0]
        #expect(await errorCode { try await notes.database.save(large) } == .limitExceeded)
        let huge = notes.notes(0..<1, text: String(repeating: "x", count: 3 << 20))[0]
        #expect(await errorCode { try await notes.database.save(huge) } == .limitExceeded)
        let results = try await notes.database.modifyRecords(saving: [large] + notes.notes(1..<3), deleting: [])
        #expect(await errorCode { _ = try results.saveResults[large.recordID]?.get() } == .limitExceeded)
        let operation = CKModifyRecordsOperation(recordsToSave: [large] + notes.notes(1..<3), recordIDsToDelete: nil)
        let codes = try await within("the operation") {
            await withCheckedContinuation { (continuation: CheckedContinuation<[CKError.Code?], Never>) in
                operation.modifyRecordsCompletionBlock = { _, _, error in
                    let error = error as? CKError
                    let item = error?.partialErrorsByItemID?[large.recordID] as? CKError
                    continuation.resume(returning: [error?.code, item?.code])
                }
                notes.database.add(operation)
            }
        }
        #expect(codes == [.partialFailure, .limitExceeded])
    }

    @Test("zones and subscriptions are divided into requests that the service takes")
    func zones() async throws {
        let notes = try await NoteZone()
        let ids = (0..<201).map { CKRecordZone.ID(zoneName: notes.devices.name("z\($0)-")) }
        let made = try await notes.database.modifyRecordZones(
            saving: ids.map { CKRecordZone(zoneID: $0) }, deleting: [])
        #expect(made.saveResults.count == 201)
        #expect(try await notes.database.recordZones(for: ids).values.allSatisfy { (try? $0.get()) != nil })
        let deleted = try await notes.database.modifyRecordZones(saving: [], deleting: ids)
        for result in deleted.deleteResults.values { try result.get() }
        let found = try await notes.database.subscriptions(for: (0..<201).map { "none-\($0)" })
        #expect(found.count == 201)
    }
}

extension NoteZone {
    fileprivate func notes(_ range: Range<Int>, in zoneID: CKRecordZone.ID? = nil, text: String? = nil) -> [CKRecord] {
        range.map { number in
            let id = CKRecord.ID(recordName: "n\(number)", zoneID: zoneID ?? zone.zoneID)
            let record = CKRecord(recordType: "Note", recordID: id)
            if let text { record["text"] = text }
            return record
        }
    }
}
