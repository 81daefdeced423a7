import FanfareCloudKit
import Testing

/// A device's notifications over connections that end.
@Suite struct NotificationTests {
    private static let registered = (200, #"{"deviceID": "phone"}"#)

    private func event(_ id: String, record: String) -> String {
        let user = "_" + String(repeating: "a", count: 32)
        let json =
            #"{"notificationID": "\#(id)", "notificationType": "query", "subscriptionID": "s", "#
            + #""subscriptionOwnerUserRecordName": "\#(user)", "queryNotificationReason": "recordCreated", "#
            + #""recordName": "\#(record)", "recordType": "Note", "recordFields": {}, "#
            + #""zoneID": {"zoneName": "_defaultZone"}, "databaseScope": "public", "alertBody": "news", "#
            + #""badge": 2, "isPruned": false, "changed": 1000}"#
        return "event: notification\nid: token-\(id)\ndata: \(json)\n\n"
    }

    @Test func `they go on where a connection ended, and end with what no later try would mend`() async throws {
        let first = event("1", record: "a") + event("2", record: "b")
        let half = first.index(first.startIndex, offsetBy: 50)
        let transport = RecordedTransport(
            answers: [RecordedTransport.signedIn],
            streams: [
                [": \n\n", String(first[..<half]), String(first[half...])],
                [event("3", record: "c"), "event: error\ndata: {\"serverErrorCode\": \"TRY_AGAIN_LATER\"}\n\n"],
            ])
        var records: [String] = []
        var last: CKNotification?
        let error = await #expect(throws: CKError.self) {
            for try await notification in CKContainer(transport).notifications(for: "phone") {
                last = notification
                let query = notification as? CKQueryNotification
                if query?.queryNotificationReason == .recordCreated, let id = query?.recordID {
                    records.append(id.recordName)
                }
            }
        }
        #expect(error?.code == .changeTokenExpired)
        #expect(records == ["a", "b", "c"] && last?.alertBody == "news")
        let tokens = transport.requests.dropFirst().map { request in
            request.url.split(separator: "serverChangeToken=").dropFirst().first.map { $0.prefix { $0 != "&" } }
        }
        #expect(tokens == [nil, "token-2", "token-3"])
    }

    @Test func `a page has them with the token after it`() async throws {
        let read = #"{"notificationID": "1", "notificationType": "readNotification", "changed": 5}"#
        let omitted =
            #"{"notificationID": "2", "notificationType": "omitted", "omittedCount": 800, "changed": 6, "#
            + #""zoneID": {"zoneName": "z"}, "databaseScope": "private"}"#
        let transport = RecordedTransport(answers: [
            RecordedTransport.signedIn, Self.registered,
            (200, #"{"notifications": [\#(read), \#(omitted)], "serverChangeToken": "u", "moreComing": true}"#),
        ])
        let page = try await CKContainer(transport).notificationPage(limit: 2)
        #expect(page.notifications.map(\.notificationType).first == .readNotification)
        #expect(page.notifications.last?.omittedCount == 800 && page.moreComing)
    }

    @Test func `an answer that is none of the service's is an error`() async throws {
        let answers = [RecordedTransport.signedIn, Self.registered, (200, #"{"notifications": 1}"#)]
        let container = CKContainer(RecordedTransport(answers: answers))
        let error = await #expect(throws: CKError.self) { try await container.notificationPage() }
        #expect(error?.localizedDescription.contains("notifications must be an array") == true)
    }
}
