import FanfareCloudKit
import Foundation
import SQLiteData
import XCTest

/// The protocols that SQLiteData has over CloudKit's classes, on the service.
final class LiveTests: XCTestCase {
    private func container<Container: CloudContainer>(_ type: Container.Type) -> Container {
        Container.createContainer(identifier: CKContainer.default().containerIdentifier!)
    }

    func testRecordsAndZonesPassThroughTheProtocol() async throws {
        let container = container(CKContainer.self)
        let database: any CloudDatabase = container.privateCloudDatabase
        let zone = CKRecordZone(zoneName: "zone")
        let zones = try await database.modifyRecordZones(saving: [zone], deleting: [])
        _ = try zones.saveResults[zone.zoneID]?.get()
        let root = CKRecord(recordType: "Root", recordID: CKRecord.ID(recordName: "root", zoneID: zone.zoneID))
        let share = CKShare(rootRecord: root, shareID: CKRecord.ID(recordName: "share-root", zoneID: zone.zoneID))
        let saved = try await database.modifyRecords(
            saving: [share, root], deleting: [], savePolicy: .ifServerRecordUnchanged, atomically: true)
        let savedShare = try XCTUnwrap(saved.saveResults[share.recordID]?.get() as? CKShare)
        let fetched = try await database.records(for: [root.recordID])
        XCTAssertEqual(try fetched[root.recordID]?.get().share?.recordID, share.recordID)
        let metadata = try await container.shareMetadata(for: savedShare, shouldFetchRootRecord: true)
        XCTAssertEqual(metadata.hierarchicalRootRecordID, root.recordID)
        XCTAssertEqual(metadata.rootRecord?.recordID, root.recordID)
        XCTAssertEqual(metadata.containerIdentifier, container.containerIdentifier)
    }
}
