import CloudJSON
import CloudModel
import FanfareCloudKit
import Foundation
import JSON
import Testing

/// What the client library asks, and what it makes of the answers.
@Suite struct RequestTests {
    private static let stamp = #"{"timestamp": 5, "userRecordName": "_a", "deviceID": "2"}"#
    private static let note =
        #"{"recordName": "n", "recordType": "Note", "recordChangeTag": "1", "zoneID": {"zoneName": "_defaultZone"}, "#
        + #""created": \#(stamp), "modified": \#(stamp), "deleted": false, "#
        + #""fields": {"text": {"value": "hello", "type": "STRING"}, "at": {"value": 1500, "type": "TIMESTAMP"}, "#
        + #""secret": {"value": "x", "type": "STRING", "isEncrypted": true}}}"#

    private func note() -> CKRecord {
        let note = CKRecord(recordType: "Note", recordID: CKRecord.ID(recordName: "n"))
        note["text"] = "hello"
        return note
    }

    @Test func `a request shows the token of the sign-in before it`() async throws {
        let transport = RecordedTransport(answers: [
            RecordedTransport.signedIn, (200, #"{"records": [\#(Self.note)]}"#),
        ])
        let database = CKContainer(transport).privateCloudDatabase
        _ = try await database.records(for: [CKRecord.ID(recordName: "n")])
        let path = "iCloud.test/development"
        #expect(
            transport.requests.map(\.url) == [
                "http://test/auth/1/\(path)/signin?ckAPIToken=a%2Bb",
                "http://test/database/1/\(path)/private/records/lookup?ckAPIToken=a%2Bb&ckWebAuthToken=t%26t&clientId=phone",
            ])
        #expect(try transport.bodies[0] == ["user": "alice"])
        #expect(try transport.bodies[1]["records"] == [["recordName": "n"]])
    }

    @Test func `a device's policies come with the changes of its clock`() async throws {
        for name in ["Europe/Berlin", "Australia/Lord_Howe", "America/St_Johns", "Asia/Kathmandu"] {
            let zone = try #require(TimeZone(identifier: name))
            let transport = RecordedTransport(answers: [
                RecordedTransport.signedIn, (200, #"{"deviceID": "phone"}"#), (200, "{}"), (200, "{}"),
            ])
            let container = CKContainer(transport)
            try await container.setDeliveryPolicies(CKDeliveryPolicy(hourlyMax: 1), timeZone: zone)
            let body = try #require(try transport.bodies.last)
            guard case .array(let elements)? = body["clock"] else {
                Issue.record("\(name): \(body)")
                return
            }
            let clock = elements.compactMap { element -> (from: Int64, minutes: Int64)? in
                guard case .integer(let from)? = element["from"],
                    case .integer(let minutes)? = element["utcOffsetMinutes"]
                else { return nil }
                return (from, minutes)
            }
            #expect(clock.count == elements.count)
            #expect(clock.first?.from == 0)
            #expect(name == "Asia/Kathmandu" ? clock.count == 1 : (4...6).contains(clock.count), "\(name): \(clock)")
            for (before, change) in zip(clock, clock.dropFirst()) {
                func minutes(_ time: Int64) -> Int64 {
                    Int64(zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(time) / 1000))) / 60
                }
                #expect(change.from > before.from && minutes(change.from) == change.minutes, "\(name): \(clock)")
                #expect(minutes(change.from - 1000) == before.minutes, "\(name): \(clock)")
            }
            try await container.setDeliveryPolicies()
            #expect(try transport.bodies.last?["clock"] == [])
        }
    }

    @Test func `a policy that nothing can keep reaches the service, which refuses it`() async throws {
        let huge = Duration(secondsComponent: .max, attosecondsComponent: 1)
        for (policy, member) in [
            (CKDeliveryPolicy(.digest(window: huge)), "windowSeconds"),
            (CKDeliveryPolicy(.latestPerRecord(window: .seconds(-1))), "windowSeconds"),
            // `Int.max` is Foundation's word for no number.
            (CKDeliveryPolicy(quietHours: hours(.max - 1, 0)), "quietHours"),
            (CKDeliveryPolicy(quietHours: hours(.min, .min)), "quietHours"),
            (CKDeliveryPolicy(quietHours: hours(1, .max - 1)), "quietHours"),
        ] {
            let transport = RecordedTransport(answers: [
                RecordedTransport.signedIn, (200, #"{"deviceID": "phone"}"#), (200, "{}"),
            ])
            try await CKContainer(transport).setDeliveryPolicies(policy)
            let sent = try #require(try transport.bodies.last)
            #expect(sent["deliveryPolicy"]?[member] != nil)
            #expect(throws: CloudError.self, "\(sent)") { try DeliveryPolicyJSON.readPolicies(JSONPath(sent)) }
        }
    }

    private func hours(_ hour: Int, _ minute: Int) -> CKDeliveryPolicy.QuietHours {
        CKDeliveryPolicy.QuietHours(
            from: DateComponents(hour: hour, minute: minute), to: DateComponents(hour: 7, minute: 0))
    }

    @Test func `a new record is created, a known one updated, and the answer is read`() async throws {
        let answer = #"{"records": [\#(Self.note)]}"#
        let transport = RecordedTransport(answers: [(200, answer), (200, answer)])
        let database = CKContainer(transport, user: nil).publicCloudDatabase
        let note = try await database.save(note())
        #expect(note.recordChangeTag == "1" && note.modificationDate == Date(timeIntervalSince1970: 0.005))
        #expect(note["at"] as? Date == Date(timeIntervalSince1970: 1.5))
        #expect(note.allKeys() == ["at", "text"] && note.encryptedValues.allKeys() == ["secret"])
        note["count"] = 2
        note["tags"] = ["a"]
        note["data"] = Data([0])
        note["text"] = nil
        note.encryptedValues["secret"] = "y"
        try await database.save(note)
        let operations = try transport.bodies.map { $0["operations"]?[0] }
        #expect(
            operations.first == [
                "operationType": "create",
                "record": [
                    "recordName": "n", "recordType": "Note",
                    "fields": ["text": ["value": "hello", "type": "STRING"]],
                ],
            ])
        let fields: JSONValue = [
            "count": ["value": 2, "type": "INT64"], "data": ["value": "AA==", "type": "BYTES"],
            "tags": ["value": ["a"], "type": "STRING_LIST"], "text": ["value": nil],
            "secret": ["value": "y", "type": "STRING", "isEncrypted": true],
        ]
        #expect(operations.last??["operationType"] == "update")
        #expect(operations.last??["record"]?["recordChangeTag"] == "1")
        #expect(operations.last??["record"]?["fields"] == fields)
    }

    @Test func `an item that is refused is an error of its own`() async throws {
        let refused = #"{"recordName": "m", "serverErrorCode": "ACCESS_DENIED", "reason": "not yours"}"#
        let transport = RecordedTransport(answers: [(200, #"{"records": [\#(Self.note), \#(refused)]}"#)])
        let other = CKRecord(recordType: "Note", recordID: CKRecord.ID(recordName: "m"))
        let results = try await CKContainer(transport, user: nil).publicCloudDatabase.modifyRecords(
            saving: [note(), other], deleting: [], savePolicy: .changedKeys)
        #expect(try results.saveResults[CKRecord.ID(recordName: "n")]?.get().recordChangeTag == "1")
        let error = #expect(throws: CKError.self) { try results.saveResults[other.recordID]?.get() }
        #expect(error?.code == .permissionFailure && error?.serverErrorCode == "ACCESS_DENIED")
        #expect(try transport.bodies[0]["operations"]?[0]?["operationType"] == "forceUpdate")
    }

    @Test(
        arguments: [
            (
                503, #"{"serverErrorCode": "TRY_AGAIN_LATER", "reason": "later", "retryAfter": 5}"#,
                .serviceUnavailable
            ),
            (421, #"{"serverErrorCode": "AUTHENTICATION_REQUIRED", "reason": "who?"}"#, .notAuthenticated),
            (502, "<html>", .serviceUnavailable),
        ] as [(Int, String, CKError.Code)])
    func `a request that is refused is an error`(_ status: Int, _ body: String, code: CKError.Code) async throws {
        let database = CKContainer(RecordedTransport(answers: [(status, body)]), user: nil).publicCloudDatabase
        let error = await #expect(throws: CKError.self) { try await database.allSubscriptions() }
        #expect(error?.code == code)
        #expect(error?.retryAfterSeconds == (status == 503 ? 5 : nil))
    }

    @Test func `a query says its predicate, arguments and order`() async throws {
        let transport = RecordedTransport(answers: [
            (200, #"{"records": [\#(Self.note)], "continuationMarker": "m"}"#)
        ])
        let query = CKQuery(recordType: "Note", predicate: NSPredicate(format: "year > %@", 1950))
        query.sortDescriptors = [NSSortDescriptor(key: "year", ascending: true)]
        let page = try await CKContainer(transport, user: nil).publicCloudDatabase.records(
            matching: query, inZoneWith: .default, resultsLimit: 7)
        #expect(page.matchResults.map(\.0.recordName) == ["n"] && page.queryCursor != nil)
        let body = try transport.bodies[0]
        #expect(
            body["query"] == [
                "recordType": "Note", "predicate": "year > %@",
                "predicateArguments": [["value": 1950, "type": "INT64"]],
                "sortBy": [["ascending": true, "fieldName": "year"]],
            ])
        #expect(body["resultsLimit"] == 7)
    }

    @Test func `subscriptions are saved, listed and deleted`() async throws {
        let saved =
            #"{"subscriptionID": "s", "subscriptionType": "query", "query": {"recordType": "Note"}, "firesOn": ["create"]}"#
        let transport = RecordedTransport(answers: [
            RecordedTransport.signedIn, (200, #"{"subscriptions": [\#(saved)]}"#),
            (200, #"{"subscriptions": [\#(saved)]}"#),
            (200, #"{"subscriptions": [{"subscriptionID": "s", "deleted": true}]}"#),
        ])
        let database = CKContainer(transport).publicCloudDatabase
        let subscription = CKQuerySubscription(
            recordType: "Note", predicate: NSPredicate(value: true), subscriptionID: "s",
            options: [.firesOnRecordCreation, .firesOnRecordLeave])
        subscription.notificationInfo = CKSubscription.NotificationInfo(alertBody: "news")
        try await database.save(subscription)
        #expect(try await database.allSubscriptions().map(\.subscriptionID) == ["s"])
        try await database.deleteSubscription(withID: "s")
        let asked = try #require(transport.requests.first { $0.url.contains("subscriptions/modify") })
        let body = try JSONValue(parsing: asked.body)
        #expect(
            body["operations"]?[0]?["subscription"] == [
                "subscriptionID": "s", "subscriptionType": "query", "query": ["recordType": "Note"],
                "firesOn": ["create", "leave"], "firesOnce": false,
                "notificationInfo": ["alertBody": "news", "shouldBadge": false],
            ])
        #expect(transport.requests.contains { $0.method == "GET" && $0.url.contains("subscriptions/list") })
    }
}
