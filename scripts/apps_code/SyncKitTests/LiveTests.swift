import FanfareCloudKit
import Foundation
import XCTest

@testable import SyncKit

extension CKServerChangeToken {
    /// A token that no service has given.
    static func stub() -> CKServerChangeToken {
        try! JSONDecoder().decode([CKServerChangeToken].self, from: Data(#"["token"]"#.utf8))[0]
    }
}

/// Synchronizers on the service, each with the adapter that SyncKit's tests have.
final class LiveTests: XCTestCase {
    private let zoneID = CKRecordZone.ID(zoneName: "Objects")

    private final class Device {
        let adapter = MockModelAdapter()
        let provider = MockAdapterProvider()
        let store = MockKeyValueStore()
        let synchronizer: CloudKitSynchronizer

        init(zoneID: CKRecordZone.ID, hasAdapter: Bool) {
            adapter.recordZoneIDValue = zoneID
            provider.modelAdapterValue = adapter
            synchronizer = CloudKitSynchronizer(
                identifier: UUID().uuidString, containerIdentifier: "any",
                database: DefaultCloudKitDatabaseAdapter(database: CKContainer.default().privateCloudDatabase),
                adapterProvider: provider, keyValueStore: store)
            if hasAdapter { synchronizer.addModelAdapter(adapter) }
        }
    }

    private func sync(_ device: Device) -> Error? {
        let done = expectation(description: "synchronized")
        var failure: Error?
        device.synchronizer.synchronize {
            failure = $0
            done.fulfill()
        }
        wait(for: [done], timeout: 60)
        return failure
    }

    func testTwoDevicesHaveTheSameObjects() {
        let phone = Device(zoneID: zoneID, hasAdapter: true)
        phone.adapter.objects = (0..<450).map { QSObject(identifier: "\($0)", number: $0) }
        phone.adapter.markForUpload(phone.adapter.objects)
        XCTAssertNil(sync(phone))
        XCTAssertNotNil(phone.synchronizer.storedDatabaseToken)
        let tablet = Device(zoneID: zoneID, hasAdapter: false)
        XCTAssertNil(sync(tablet))
        XCTAssertEqual(tablet.adapter.objects.count, 450)
        XCTAssertEqual(Set(tablet.adapter.objects.compactMap(\.number)), Set(0..<450))
        tablet.adapter.markForDeletion([tablet.adapter.objects[0]])
        XCTAssertNil(sync(tablet))
        XCTAssertNil(sync(phone))
        XCTAssertEqual(phone.adapter.objects.count, 449)
    }

    /// The adapter makes a new record each time: an object that is there is a conflict, which SyncKit fetches and sends twice more.
    func testConflictsAreSentAgain() {
        let phone = Device(zoneID: zoneID, hasAdapter: true)
        phone.adapter.objects = [QSObject(identifier: "a", number: 1)]
        phone.adapter.markForUpload(phone.adapter.objects)
        XCTAssertNil(sync(phone))
        phone.adapter.markForUpload(phone.adapter.objects + [QSObject(identifier: "b", number: 2)])
        let error = sync(phone)
        XCTAssertEqual((error as NSError?)?.code, CKError.Code.partialFailure.rawValue)
        XCTAssertTrue(phone.synchronizer.isServerRecordChangedError(error! as NSError))
        XCTAssertEqual(phone.synchronizer.activeZoneTokens, [:])
    }

    func testObjectsAndZonesAreShared() throws {
        let phone = Device(zoneID: zoneID, hasAdapter: true)
        phone.adapter.objects = [QSObject(identifier: "a", number: 1)]
        phone.adapter.markForUpload([QSObject(identifier: "b", number: 1)])
        XCTAssertNil(sync(phone))
        let shared = expectation(description: "shared")
        phone.synchronizer.share(object: phone.adapter.objects[0], publicPermission: .readWrite, participants: []) {
            XCTAssertNil($1)
            XCTAssertNotNil($0?.url)
            shared.fulfill()
        }
        wait(for: [shared], timeout: 60)
        let removed = expectation(description: "removed")
        let root = CKRecord.ID(recordName: "a", zoneID: zoneID)
        CKContainer.default().privateCloudDatabase.delete(
            withRecordID: phone.adapter.sharesByIdentifier["a"]!.recordID
        ) { _, error in
            XCTAssertNil(error)
            CKContainer.default().privateCloudDatabase.fetch(withRecordID: root) { record, error in
                XCTAssertNil(record?.share)
                removed.fulfill()
            }
        }
        wait(for: [removed], timeout: 60)
        let zone = expectation(description: "zone")
        phone.synchronizer.share(recordZoneID: zoneID, publicPermission: .readOnly, participants: []) { share, error in
            XCTAssertNil(error)
            XCTAssertNotNil(share)
            zone.fulfill()
        }
        wait(for: [zone], timeout: 60)
        let gone = expectation(description: "gone")
        phone.synchronizer.removeShare(recordZoneID: zoneID) {
            XCTAssertNil($0)
            gone.fulfill()
        }
        wait(for: [gone], timeout: 60)
        XCTAssertNil(phone.adapter.shareForRecordZoneValue)
    }

    func testSubscriptionsAreMadeOnceAndCancelled() {
        let phone = Device(zoneID: zoneID, hasAdapter: true)
        phone.adapter.markForUpload([QSObject(identifier: "b", number: 1)])
        XCTAssertNil(sync(phone))
        func step(_ call: (@escaping (Error?) -> Void) -> Void) {
            let done = expectation(description: "done")
            call {
                XCTAssertNil($0)
                done.fulfill()
            }
            wait(for: [done], timeout: 60)
        }
        let synchronizer = phone.synchronizer
        step { synchronizer.subscribeForChangesInDatabase(completion: $0) }
        step { synchronizer.subscribeForChanges(in: zoneID, completion: $0) }
        let first = synchronizer.subscriptionIDForDatabaseSubscription()
        XCTAssertNotNil(first)
        XCTAssertNotNil(synchronizer.subscriptionID(forRecordZoneID: zoneID))
        let tablet = Device(zoneID: zoneID, hasAdapter: true).synchronizer
        step { tablet.subscribeForChangesInDatabase(completion: $0) }
        XCTAssertEqual(tablet.subscriptionIDForDatabaseSubscription(), first)
        step { tablet.cancelSubscriptionForChangesInDatabase(completion: $0) }
        step { tablet.cancelSubscriptionForChanges(in: zoneID, completion: $0) }
        step { done in
            CKContainer.default().privateCloudDatabase.fetchAllSubscriptions { subscriptions, error in
                XCTAssertEqual(subscriptions?.count, 0)
                done(error)
            }
        }
    }
}
