import FanfareCloudKit
import Foundation
import Synchronization
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Operations that are too much for the service together.
@Suite struct DividedRequestTests {
    private let zone = CKRecordZone.ID(zoneName: "Notes")
    private static let tooMuch =
        #", "limit": {"name": "movedBytesMax", "value": 1, "of": "request"}"#

    private func records(_ count: Int) -> [CKRecord] {
        (0..<count).map {
            CKRecord(recordType: "Note", recordID: CKRecord.ID(recordName: "n\($0)", zoneID: zone))
        }
    }

    /// A service that does so many operations of a request, and refuses the others as too much.
    private func service(_ room: Int) -> AnsweringService {
        AnsweringService { sent in
            let refused = sent.names.dropFirst(room)
            return .items(Dictionary(uniqueKeysWithValues: refused.map { ($0, ("QUOTA_EXCEEDED", Self.tooMuch)) }))
        }
    }

    @Test("what one request has no room for goes into further ones, unless the zone is atomic")
    func further() async throws {
        let service = service(3)
        let database = CKContainer(service).privateCloudDatabase
        let saved = try await database.modifyRecords(saving: records(8), deleting: [], atomically: false)
        #expect(saved.saveResults.count == 8)
        for result in saved.saveResults.values { _ = try result.get() }
        #expect(service.sent.map(\.saves.count) == [8, 5, 2])
        let error = await #expect(throws: CKError.self) {
            try await database.modifyRecords(saving: records(8), deleting: [])
        }
        #expect(error?.code == .limitExceeded && service.sent.count == 4)
    }

    @Test("a record that is too much by itself fails alone, and the requests end")
    func alone() async throws {
        let service = service(0)
        let database = CKContainer(service).privateCloudDatabase
        let saved = try await database.modifyRecords(saving: records(3), deleting: [], atomically: false)
        for result in saved.saveResults.values {
            let error = #expect(throws: CKError.self) { try result.get() }
            #expect(error?.code == .limitExceeded)
        }
        #expect(service.sent.count == 1)
    }

    @Test("records of a further request that is not answered have its error, and those before it are saved")
    func unanswered() async throws {
        let count = Mutex(0)
        let service = AnsweringService { sent in
            let isFirst = count.withLock { count in
                count += 1
                return count == 1
            }
            guard isFirst else { return .unreachable }
            return .items(["n1": ("QUOTA_EXCEEDED", Self.tooMuch)])
        }
        let database = CKContainer(service).privateCloudDatabase
        let results = try await database.modifyRecords(saving: records(2), deleting: [], atomically: false).saveResults
        let codes = ["n0", "n1"].map { name in
            results.first { $0.key.recordName == name }.flatMap { result -> CKError.Code? in
                if case .failure(let error) = result.value { (error as? CKError)?.code } else { nil }
            }
        }
        #expect(codes == [nil, .networkUnavailable])
    }

    @Test("the delegate of a sync engine is asked for its options before each zone")
    func options() async throws {
        let notes = Fetching()
        let container = CKContainer(
            configuration: CKContainer.Configuration(
                url: "http://test/", containerIdentifier: "iCloud.test", environment: .development, apiToken: "a",
                signIn: .developmentUser("alice"), deviceID: "phone", transport: ZonesService()))
        var configuration = CKSyncEngine.Configuration(
            database: container.privateCloudDatabase, stateSerialization: nil, delegate: notes)
        configuration.automaticallySync = false
        let engine = CKSyncEngine(configuration)
        try await engine.fetchChanges()
        #expect(notes.zones.withLock { $0 } == ["c", "b"])
        #expect(engine.state.zoneIDsWithUnfetchedServerChanges.map(\.zoneName) == ["a"])
    }

    /// A delegate that wants the last zone first, and the zone `a` not at all.
    private final class Fetching: CKSyncEngineDelegate {
        let zones = Mutex<[String]>([])

        func handleEvent(_ event: CKSyncEngine.Event, syncEngine: CKSyncEngine) async {
            if case .willFetchRecordZoneChanges(let event) = event {
                zones.withLock { $0.append(event.zoneID.zoneName) }
            }
        }

        func nextRecordZoneChangeBatch(
            _ context: CKSyncEngine.SendChangesContext, syncEngine: CKSyncEngine
        ) async -> CKSyncEngine.RecordZoneChangeBatch? { nil }

        func nextFetchChangesOptions(
            _ context: CKSyncEngine.FetchChangesContext, syncEngine: CKSyncEngine
        ) async -> CKSyncEngine.FetchChangesOptions {
            var options = context.options
            let unfetched = syncEngine.state.zoneIDsWithUnfetchedServerChanges
            options.scope = .allExcluding(unfetched.filter { $0.zoneName == "a" })
            options.prioritizedZoneIDs = unfetched.reversed()
            return options
        }
    }

    /// A service with three zones that changed.
    private struct ZonesService: FanfareTransport {
        func send(_ request: FanfareRequest) async throws -> FanfareResponse {
            let endpoint = request.url.prefix { $0 != "?" }.split(separator: "/").last.map(String.init) ?? ""
            let names = ["a", "b", "c"].map { #"{"zoneID": {"zoneName": "\#($0)"}, "syncToken": "t"}"# }
            let zone = ["a", "b", "c"].first { String(decoding: request.body, as: UTF8.self).contains(#":"\#($0)""#) }
            let body: String =
                switch endpoint {
                case "signin": #"{"ckWebAuthToken": "t", "userRecordName": "_u"}"#
                case "database":
                    #"{"zones": [\#(names.joined(separator: ", "))], "syncToken": "t", "moreComing": false}"#
                case "zone":
                    #"{"zones": [{"zoneID": {"zoneName": "\#(zone ?? "")"}, "records": [], "syncToken": "t", "moreComing": false}]}"#
                default: "{}"
                }
            return FanfareResponse(status: 200, body: Array(body.utf8))
        }

        func stream(_ request: FanfareRequest) async throws -> FanfareStream { throw URLError(.cannotConnectToHost) }
    }
}
