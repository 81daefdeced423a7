import FanfareCloudKit
import Foundation
import Testing

/// Errors as apps of many years cast them: to `NSError`, from it, and in dictionaries.
@Suite struct ErrorBridgeTests {
    private static let zone = CKRecordZone.ID(zoneName: "notes")
    private let first = CKRecord.ID(recordName: "first", zoneID: zone)
    private let second = CKRecord.ID(recordName: "second", zoneID: zone)

    private func partial() -> any Error {
        CKError(
            .partialFailure,
            userInfo: [
                CKPartialErrorsByItemIDKey: [
                    first: CKError(.serverRecordChanged), second: CKError(.batchRequestFailed),
                ]
            ])
    }

    @Test("an error is an NSError by every cast, with its domain, code and details")
    func toFoundation() throws {
        let error: any Error = CKError(.requestRateLimited, userInfo: [CKErrorRetryAfterKey: NSNumber(value: 3)])
        let any: Any = error
        for bridged in [any as? NSError, Optional(error as NSError), (error as AnyObject) as? NSError] {
            let bridged = try #require(bridged)
            #expect(bridged.domain == CKErrorDomain && bridged.code == CKError.Code.requestRateLimited.rawValue)
            #expect(bridged.userInfo[CKErrorRetryAfterKey] as? Double == 3)
        }
        #expect(any is NSError && !((CocoaError(.fileNoSuchFile) as Any) is CKError))
    }

    @Test("an NSError of CloudKit's domain is a CKError by every cast and in catch, another is none")
    func fromFoundation() throws {
        let bridged = NSError(domain: CKErrorDomain, code: 14, userInfo: [NSLocalizedDescriptionKey: "changed"])
        let error: any Error = bridged
        let cast = try #require(error as? CKError)
        #expect(cast.code == .serverRecordChanged && cast.localizedDescription == "serverRecordChanged: changed")
        #expect((bridged as Any) as? CKError == cast && CKError.serverRecordChanged ~= bridged)
        var caught: CKError?
        do { throw bridged } catch let error as CKError { caught = error } catch {}
        #expect(caught == cast)
        let other: any Error = NSError(domain: NSCocoaErrorDomain, code: 14)
        #expect(other as? CKError == nil && !(CKError.serverRecordChanged ~= other))
    }

    @Test("the errors of items are cast as a whole, by any type of key and of error", arguments: [false, true])
    func items(isBridged: Bool) throws {
        let error: any Error = isBridged ? partial() as NSError : partial()
        let value = try #require((error as NSError).userInfo[CKPartialErrorsByItemIDKey])
        let foundation = try #require(value as? [CKRecord.ID: NSError])
        #expect(foundation[first]?.code == 14 && foundation[second]?.code == 22 && foundation.count == 2)
        let library = try #require(value as? [CKRecord.ID: CKError])
        #expect(library[first]?.code == .serverRecordChanged && library[second]?.code == .batchRequestFailed)
        #expect((value as? [CKRecord.ID: any Error])?.count == 2 && (value as? [AnyHashable: any Error])?.count == 2)
        let dictionary = try #require(value as? NSDictionary)
        #expect((dictionary[first] as? NSError)?.code == 14 && (dictionary[first] as? CKError)?.code.rawValue == 14)
        #expect(value as? [CKRecordZone.ID: CKError] == nil)
    }

    @Test("nothing is lost on the way to NSError and back, once and twice")
    func roundTrip() throws {
        let records = (0..<3).map { CKRecord(recordType: "Note", recordID: .init(recordName: "\($0)")) }
        let conflict = CKError(
            .serverRecordChanged,
            userInfo: [
                NSLocalizedDescriptionKey: "changed", CKRecordChangedErrorServerRecordKey: records[0],
                CKRecordChangedErrorClientRecordKey: records[1], CKRecordChangedErrorAncestorRecordKey: records[2],
            ])
        let bare = CKError(.zoneNotFound)
        for error in [conflict, bare, try #require(partial() as? CKError)] {
            let once = try #require((error as NSError) as any Error as? CKError)
            let twice = try #require((once as NSError) as any Error as? CKError)
            #expect(once == error && twice == error && twice.localizedDescription == error.localizedDescription)
        }
        let back = try #require((conflict as NSError) as any Error as? CKError)
        #expect(back.serverRecord === records[0] && back.clientRecord === records[1])
        #expect(back.ancestorRecord === records[2])
    }

    @Test("errors are equal by code and details")
    func equality() {
        let limited = CKError(.requestRateLimited, userInfo: [CKErrorRetryAfterKey: NSNumber(value: 3)])
        #expect(CKError(.zoneNotFound) == CKError(.zoneNotFound) && CKError(.zoneNotFound) != CKError(.unknownItem))
        #expect(limited != CKError(.requestRateLimited))
        #expect(limited == CKError(.requestRateLimited, userInfo: [CKErrorRetryAfterKey: NSNumber(value: 3)]))
        #expect(partial() as? CKError == partial() as? CKError && partial() as? CKError != CKError(.partialFailure))
        #expect(Set([limited, limited, CKError(.zoneNotFound), CKError(.zoneNotFound)]).count == 2)
    }
}
