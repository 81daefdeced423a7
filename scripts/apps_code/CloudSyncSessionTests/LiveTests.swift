import AppStandIns
import FanfareCloudKit
import Foundation
import XCTest

@testable import CloudSyncSession

/// Sessions on the service, with CloudSyncSession's own handler of operations.
final class LiveTests: XCTestCase {
    private let zoneID = CKRecordZone.ID(zoneName: "Session")

    private func session(token: CKServerChangeToken? = nil) -> CloudSyncSession {
        let handler = CloudKitOperationHandler(
            database: CKContainer.default().privateCloudDatabase, zoneID: zoneID, subscriptionID: "session")
        let session = CloudSyncSession(
            operationHandler: handler, zoneID: zoneID,
            resolveConflict: { client, server in
                server["title"] = client["title"]
                return server
            },
            resolveExpiredChangeToken: { nil })
        session.appendMiddleware(AccountStatusMiddleware(session: session, ckContainer: .default()))
        return session
    }

    private func fetch(_ session: CloudSyncSession, token: CKServerChangeToken?) -> FetchOperation.Response? {
        let done = expectation(description: "fetched")
        var response: FetchOperation.Response?
        var tasks = Set<AnyCancellable>()
        session.fetchWorkCompletedSubject.sink {
            response = $1
            if !$1.hasMore { done.fulfill() }
        }.store(in: &tasks)
        session.fetch(FetchOperation(changeToken: token))
        wait(for: [done], timeout: 60)
        return response
    }

    private func modify(_ session: CloudSyncSession, _ records: [CKRecord], deleting: [CKRecord.ID] = []) -> [CKRecord]
    {
        let done = expectation(description: "saved")
        done.assertForOverFulfill = false
        var saved: [CKRecord] = []
        var tasks = Set<AnyCancellable>()
        session.modifyWorkCompletedSubject.sink {
            saved += $1.savedRecords
            if saved.count >= records.count { done.fulfill() }
        }.store(in: &tasks)
        session.haltedSubject.sink { XCTAssertNil($0) }.store(in: &tasks)
        session.modify(
            ModifyOperation(records: records, recordIDsToDelete: deleting, checkpointID: nil, userInfo: nil))
        wait(for: [done], timeout: 60)
        return saved
    }

    func testRecordsAreSavedInPartsAndConflictsResolved() {
        let phone = session()
        phone.start()
        let records = (0..<450).map {
            let record = CKRecord(recordType: "Note", recordID: CKRecord.ID(recordName: "\($0)", zoneID: zoneID))
            record["title"] = "first"
            return record
        }
        XCTAssertEqual(modify(phone, records).count, 450)
        let tablet = session()
        tablet.start()
        let response = fetch(tablet, token: nil)
        XCTAssertNotNil(response?.changeToken)
        // A second record of the same ID is a conflict with the one that is there, and fails the other of its batch.
        let again = CKRecord(recordType: "Note", recordID: records[0].recordID)
        again["title"] = "second"
        let other = CKRecord(recordType: "Note", recordID: CKRecord.ID(recordName: "other", zoneID: zoneID))
        other["title"] = "other"
        let saved = modify(tablet, [again, other])
        XCTAssertEqual(Set(saved.compactMap { $0["title"] as? String }), ["second", "other"])
        let changes = fetch(phone, token: response?.changeToken)
        XCTAssertEqual(Set(changes?.changedRecords.map(\.recordID) ?? []), [again.recordID, other.recordID])
    }

    func testTheZoneIsMadeThatAFetchDoesNotFind() {
        let phone = session()
        phone.start()
        XCTAssertEqual(fetch(phone, token: nil)?.changedRecords.count, 0)
    }
}
