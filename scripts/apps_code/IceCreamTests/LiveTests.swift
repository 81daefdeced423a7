import FanfareCloudKit
import Foundation
import IceCream
import XCTest

/// The objects of one type on a device, without Realm.
private final class Notes: Syncable {
    let zoneID: CKRecordZone.ID
    let recordType = "Note"
    var zoneChangesToken: CKServerChangeToken?
    var isCustomZoneCreated = false
    var pipeToEngine: (([CKRecord], [CKRecord.ID]) -> ())?
    private let lock = NSLock()
    private var records: [CKRecord.ID: CKRecord] = [:]

    init(_ zoneID: CKRecordZone.ID, titles: Range<Int> = 0..<0) {
        self.zoneID = zoneID
        for number in titles {
            let id = CKRecord.ID(recordName: "\(number)", zoneID: zoneID)
            records[id] = CKRecord(recordType: recordType, recordID: id)
            records[id]!["title"] = "title \(number)"
            records[id]!["number"] = number
        }
    }

    var titles: Set<String> {
        lock.withLock { Set(records.values.compactMap { $0.value(forKey: "title") as? String }) }
    }
    func registerLocalDatabase() {}
    func cleanUp() {}
    func add(record: CKRecord) { lock.withLock { records[record.recordID] = record } }
    func delete(recordID: CKRecord.ID) { lock.withLock { records[recordID] = nil } }
    func resolvePendingRelationships() {}
    func pushLocalObjectsToCloudKit() { pipeToEngine?(lock.withLock { Array(records.values) }, []) }
    var ids: [CKRecord.ID] { lock.withLock { Array(records.keys) } }
}

/// IceCream's managers on the service: objects of a device come to another one.
final class LiveTests: XCTestCase {
    private func forget() {
        for key in [IceCreamKey.databaseChangesTokenKey, .subscriptionIsLocallyCachedKey] {
            UserDefaults.standard.removeObject(forKey: "icecream.keys.\(key.rawValue)")
        }
    }

    /// Pulls until the condition holds: IceCream reports the end of no push.
    private func pull(_ engine: SyncEngine, until condition: () -> Bool) {
        for _ in 0..<300 where !condition() {
            RunLoop.main.run(until: Date() + 0.05)
            let done = expectation(description: "pulled")
            done.assertForOverFulfill = false
            engine.pull { _ in done.fulfill() }
            wait(for: [done], timeout: 60)
        }
        XCTAssertTrue(condition())
    }

    func testObjectsComeToAnotherDevice() {
        forget()
        let zoneID = CKRecordZone.ID(zoneName: "NotesZone")
        let phone = Notes(zoneID, titles: 0..<450)
        let first = SyncEngine(objects: [phone])
        for _ in 0..<600 where !phone.isCustomZoneCreated { RunLoop.main.run(until: Date() + 0.1) }
        XCTAssertTrue(phone.isCustomZoneCreated)
        RunLoop.main.run(until: Date() + 1)
        let tablet = Notes(zoneID)
        tablet.isCustomZoneCreated = true
        let second = SyncEngine(objects: [tablet])
        pull(second) { tablet.titles.count == 450 }
        XCTAssertEqual(tablet.titles, phone.titles)
        XCTAssertNotNil(tablet.zoneChangesToken)
        phone.pipeToEngine?([], Array(phone.ids.prefix(50)))
        pull(second) { tablet.titles.count == 400 }
        XCTAssertNotNil(first)
    }

    func testPublicObjectsAreQueriedPageByPage() {
        forget()
        let zoneID = CKRecordZone.default().zoneID
        let phone = Notes(zoneID, titles: 0..<250)
        let first = SyncEngine(objects: [phone], databaseScope: .public)
        first.pushAll()
        let tablet = Notes(zoneID)
        let second = SyncEngine(objects: [tablet], databaseScope: .public)
        pull(second) { tablet.titles.count == 250 }
        XCTAssertEqual(tablet.titles, phone.titles)
    }
}
