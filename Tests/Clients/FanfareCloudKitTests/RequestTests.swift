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
        + #""fields": {"text": {"value": "hello", "type": "STRING"}, "at": {"value": 1500, "type": "TIMESTAMP"}}}"#

    @Test func `signing in gives a client that shows the user's token`() async throws {
        let transport = RecordedTransport(answers: [
            (200, #"{"ckWebAuthToken": "t&t", "userRecordName": "_u"}"#), (200, #"{"records": []}"#),
        ])
        let client = try await FanfareClient(transport).signedIn(developmentUser: "alice")
        #expect(client.userRecordName == "_u")
        _ = try await client.database(.private).fetch([])
        #expect(
            transport.requests.map(\.url) == [
                "http://test/auth/1/iCloud.test/development/signin?ckAPIToken=a%2Bb",
                "http://test/database/1/iCloud.test/development/private/records/lookup?ckAPIToken=a%2Bb&ckWebAuthToken=t%26t",
            ])
        #expect(try transport.bodies == [["user": "alice"], ["records": []]])
    }

    @Test func `a new record is created, a known one updated, and what comes back is read`() async throws {
        let answer = #"{"records": [\#(Self.note)]}"#
        let transport = RecordedTransport(answers: [(200, answer), (200, answer)])
        let database = FanfareClient(transport).database(.private)
        var note = try await database.save(FanfareRecord(type: "Note", name: "n", fields: ["text": .string("hello")]))
        #expect(note.changeTag == "1" && note.modified == Date(timeIntervalSince1970: 0.005))
        #expect(note.fields == ["text": .string("hello"), "at": .date(Date(timeIntervalSince1970: 1.5))])
        note.fields = ["count": .int64(2), "tags": .list([.string("a")]), "data": .bytes(Data([0]))]
        note.removed = ["text"]
        _ = try await database.save(note)
        let operations = try transport.bodies.map { $0["operations"]?[0] }
        #expect(
            operations.first == [
                "operationType": "create",
                "record": [
                    "recordName": "n", "recordType": "Note",
                    "fields": ["text": ["value": "hello", "type": "STRING"]],
                ],
            ])
        #expect(
            operations.last == [
                "operationType": "update",
                "record": [
                    "recordName": "n", "recordType": "Note", "recordChangeTag": "1",
                    "fields": [
                        "count": ["value": 2, "type": "INT64"], "data": ["value": "AA==", "type": "BYTES"],
                        "tags": ["value": ["a"], "type": "STRING_LIST"], "text": ["value": nil],
                    ],
                ],
            ])
    }

    @Test func `an item that is refused is an error of its own`() async throws {
        let refused = #"{"recordName": "m", "serverErrorCode": "CONFLICT", "reason": "changed since"}"#
        let transport = RecordedTransport(answers: [(200, #"{"records": [\#(Self.note), \#(refused)]}"#)])
        let results = try await FanfareClient(transport).database(.private).save(
            [FanfareRecord(type: "Note", name: "n"), FanfareRecord(type: "Note", name: "m")], overwriting: true)
        #expect(try results[0].get().recordName == "n")
        let error = #expect(throws: FanfareError.self) { try results[1].get() }
        #expect(error?.serverErrorCode == "CONFLICT" && error?.status == 409 && error?.isTransient == false)
        #expect(try transport.bodies[0]["operations"]?[0]?["operationType"] == "forceUpdate")
    }

    @Test(
        arguments: [
            (
                503, #"{"serverErrorCode": "TRY_AGAIN_LATER", "reason": "later", "retryAfter": 5}"#, "TRY_AGAIN_LATER",
                true
            ),
            (
                421, #"{"serverErrorCode": "AUTHENTICATION_REQUIRED", "reason": "who?"}"#, "AUTHENTICATION_REQUIRED",
                false
            ),
            (502, "<html>", nil, true),
        ] as [(Int, String, String?, Bool)])
    func `a request that is refused is an error`(_ status: Int, _ body: String, code: String?, isTransient: Bool)
        async throws
    {
        let client = FanfareClient(RecordedTransport(answers: [(status, body)]))
        let error = await #expect(throws: FanfareError.self) { try await client.database(.public).delete("n") }
        #expect(error?.status == status && error?.serverErrorCode == code && error?.isTransient == isTransient)
        #expect(error?.retryAfterSeconds == (code == "TRY_AGAIN_LATER" ? 5 : nil))
    }

    @Test func `a query says its predicate, arguments and order`() async throws {
        let transport = RecordedTransport(answers: [
            (200, #"{"records": [\#(Self.note)], "continuationMarker": "m"}"#)
        ])
        let query = FanfareQuery(
            recordType: "Note", where: "year > %@", [.int64(1950)], sorts: [FanfareQuery.Sort(field: "year")])
        let page = try await FanfareClient(transport).database(.public).query(query, limit: 7)
        #expect(page.records.map(\.recordName) == ["n"] && page.marker == "m")
        #expect(
            try transport.bodies == [
                [
                    "query": [
                        "recordType": "Note", "predicate": "year > %@",
                        "predicateArguments": [["value": 1950, "type": "INT64"]],
                        "sortBy": [["ascending": true, "fieldName": "year"]],
                    ], "zoneID": ["zoneName": "_defaultZone"], "resultsLimit": 7,
                ]
            ])
    }

    @Test func `subscriptions are saved, listed and deleted`() async throws {
        let saved =
            #"{"subscriptionID": "s", "subscriptionType": "query", "query": {"recordType": "Note"}, "firesOn": ["create"]}"#
        let transport = RecordedTransport(answers: [
            (200, #"{"subscriptions": [\#(saved)]}"#), (200, #"{"subscriptions": [\#(saved)]}"#),
            (200, #"{"subscriptions": [{"subscriptionID": "s", "deleted": true}]}"#),
        ])
        let database = FanfareClient(transport).database(.public)
        var subscription = FanfareSubscription(
            id: "s", .records(FanfareQuery(recordType: "Note"), on: [.create, .leave]))
        subscription.alertBody = "news"
        try await database.save(subscription)
        #expect(try await database.subscriptionIDs() == ["s"])
        try await database.deleteSubscription("s")
        let body = try JSONValue(parsing: transport.requests[0].body)
        #expect(
            body["operations"]?[0]?["subscription"] == [
                "subscriptionID": "s", "subscriptionType": "query", "query": ["recordType": "Note"],
                "firesOn": ["create", "leave"], "firesOnce": false,
                "notificationInfo": ["alertBody": "news", "shouldBadge": false],
            ])
        #expect(transport.requests[1].method == "GET")
    }
}
