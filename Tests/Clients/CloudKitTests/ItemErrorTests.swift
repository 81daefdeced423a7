import FanfareCloudKit
import Foundation
import TestSupport
import Testing

/// Errors of items, as the service and the library give them: the other items of a call are not touched by them.
@Suite struct ItemErrorTests {
    private func code(_ result: Result<some Any, any Error>?) -> CKError.Code? {
        if case .failure(let error)? = result { (error as? CKError)?.code } else { nil }
    }

    private func note(_ name: String, _ zone: CKRecordZone.ID) -> CKRecord {
        CKRecord(recordType: "Note", recordID: CKRecord.ID(recordName: name, zoneID: zone))
    }

    @Test("records of a zone that is not there have zoneNotFound each, alone or beside those of another zone")
    func missingZone() async throws {
        let devices = try await Devices()
        let database = devices.device().privateCloudDatabase
        let zone = try await database.save(CKRecordZone(zoneName: devices.name("Notes"))).zoneID
        let missing = CKRecordZone.ID(zoneName: devices.name("Missing"))
        let alone = try await database.modifyRecords(
            saving: [note("a", missing)], deleting: [note("b", missing).recordID])
        #expect(code(alone.saveResults.values.first) == .zoneNotFound)
        #expect(code(alone.deleteResults.values.first) == .zoneNotFound)
        for order in [[missing, zone], [zone, missing]] {
            let records = order.map { note("a", $0) }
            let saved = try await database.modifyRecords(saving: records, deleting: [], savePolicy: .allKeys)
            let found = try await database.records(for: records.map(\.recordID))
            for record in records {
                let expected: CKError.Code? = record.recordID.zoneID == missing ? .zoneNotFound : nil
                #expect(code(saved.saveResults[record.recordID]) == expected)
                #expect(code(found[record.recordID]) == expected)
            }
        }
        let error = await #expect(throws: CKError.self) { try await database.save(note("a", missing)) }
        #expect(error?.code == .zoneNotFound)
    }

    @Test(
        "a record that cannot be sent fails alone, or with its whole zone where that is atomic",
        arguments: [false, true])
    func unsent(isAtomic: Bool) async throws {
        let devices = try await Devices()
        let database = devices.device().privateCloudDatabase
        let zone = try await database.save(CKRecordZone(zoneName: devices.name("Notes"))).zoneID
        let (good, fileless) = (note("good", zone), note("fileless", zone))
        fileless["photo"] = CKAsset(fileURL: URL(fileURLWithPath: "/nowhere/\(devices.unique)"))
        let results = try await database.modifyRecords(
            saving: [fileless, good], deleting: [], atomically: isAtomic
        ).saveResults
        #expect(code(results[fileless.recordID]) == .assetFileNotFound)
        #expect(code(results[good.recordID]) == (isAtomic ? .batchRequestFailed : nil))
        let found = try await database.records(for: [good.recordID])
        #expect(code(found[good.recordID]) == (isAtomic ? .unknownItem : nil))
    }

    @Test(
        "a record with a value that the service cannot read fails alone, or with its whole zone where that is atomic",
        arguments: [false, true])
    func unreadable(isAtomic: Bool) async throws {
        let notes = try await NoteZone()
        let nowhere = CLLocation(latitude: 91, longitude: 0)
        for (wrong, isList) in [(CLLocation(latitude: 0, longitude: -181), false), (nowhere, true)] {
            let (good, bad) = (note("good\(isList)", notes.zone.zoneID), note("bad\(isList)", notes.zone.zoneID))
            if isList { bad["places"] = [wrong] } else { bad["place"] = wrong }
            for records in [[good, bad], [bad, good], [bad]] {
                let results = try await notes.database.modifyRecords(
                    saving: records, deleting: [], savePolicy: .allKeys, atomically: isAtomic
                ).saveResults
                #expect(code(results[bad.recordID]) == .invalidArguments)
                if records.count > 1 {
                    #expect(code(results[good.recordID]) == (isAtomic ? .batchRequestFailed : nil))
                }
            }
            let error = await #expect(throws: CKError.self) { try await notes.database.save(bad) }
            #expect(error?.code == .invalidArguments)
        }
    }

    @Test("an item with a wrong name does not fail the others", arguments: ["", String(repeating: "x", count: 300)])
    func names(wrong: String) async throws {
        let devices = try await Devices()
        let container = devices.device()
        let database = container.privateCloudDatabase
        let zone = try await database.save(CKRecordZone(zoneName: devices.name("Notes"))).zoneID
        try await database.save(note("good", zone))
        let ids = [wrong, "good"].map { CKRecord.ID(recordName: $0, zoneID: zone) }
        for ids in [ids, ids.reversed()] {
            let found = try await database.records(for: ids)
            #expect(found.count == 2 && code(found[ids.first { $0.recordName == "good" }!]) == nil)
        }
        let zones = try await database.recordZones(for: [CKRecordZone.ID(zoneName: wrong), zone])
        #expect(zones.count == 2 && code(zones[zone]) == nil)
        let subscription = CKDatabaseSubscription(subscriptionID: "good\(devices.unique)")
        subscription.notificationInfo = CKSubscription.NotificationInfo()
        try await database.save(subscription)
        let subscriptions = try await database.subscriptions(for: [wrong, subscription.subscriptionID])
        #expect(subscriptions.count == 2 && code(subscriptions[subscription.subscriptionID]) == nil)
        let saved = try await database.modifyRecords(
            saving: [note(wrong, zone), note("other", zone)], deleting: [], atomically: false)
        #expect(saved.saveResults.count == 2 && code(saved.saveResults[note("other", zone).recordID]) == nil)
        _ = try await container.shareMetadatas(for: [URL(string: "https://test/\(wrong.prefix(5))/")!])
    }

    @Test("a zone that cannot be in a database is invalidArguments, which the app's mistake is")
    func otherZones() async throws {
        let devices = try await Devices()
        let container = devices.device()
        let other = CKRecordZone.ID(
            zoneName: devices.name("Notes"), ownerName: try await devices.device(of: "bob").userRecordID().recordName)
        let own = try await container.privateCloudDatabase.save(CKRecordZone(zoneName: devices.name("Notes"))).zoneID
        for (database, zone) in [
            (container.privateCloudDatabase, other), (container.sharedCloudDatabase, own),
        ] {
            let record = note("a", zone)
            #expect(code(try await database.records(for: [record.recordID])[record.recordID]) == .invalidArguments)
            let modified = try await database.modifyRecords(saving: [record], deleting: [])
            #expect(code(modified.saveResults[record.recordID]) == .invalidArguments)
            #expect(code(try await database.recordZones(for: [zone])[zone]) == .invalidArguments)
            let zones = try await database.modifyRecordZones(saving: [], deleting: [zone])
            #expect(code(zones.deleteResults[zone]) == .invalidArguments)
            let error = await #expect(throws: CKError.self) {
                _ = try await database.recordZoneChanges(inZoneWith: zone, since: nil)
            }
            #expect(error?.code == .invalidArguments)
            let query = CKQuery(recordType: "Note", predicate: NSPredicate(value: true))
            let second = await #expect(throws: CKError.self) {
                _ = try await database.records(matching: query, inZoneWith: zone)
            }
            #expect(second?.code == .invalidArguments)
        }
        // The user's own name is as good as the default one.
        let named = CKRecordZone.ID(
            zoneName: own.zoneName, ownerName: try await container.userRecordID().recordName)
        #expect(code(try await container.privateCloudDatabase.recordZones(for: [named])[named]) == nil)
    }

    @Test("deleting a zone that is not there succeeds alone, and is zoneNotFound among others")
    func deletedZones() async throws {
        let devices = try await Devices()
        let database = devices.device().privateCloudDatabase
        let missing = CKRecordZone.ID(zoneName: devices.name("Missing"))
        #expect(try await database.deleteRecordZone(withID: missing) == missing)
        let results = try await database.modifyRecordZones(saving: [], deleting: [missing])
        #expect(code(results.deleteResults[missing]) == .zoneNotFound)
        let shared = devices.device().sharedCloudDatabase
        let made = try await shared.modifyRecordZones(saving: [CKRecordZone(zoneName: "a")], deleting: [])
        #expect(code(made.saveResults.values.first) == .badDatabase)
    }
}
