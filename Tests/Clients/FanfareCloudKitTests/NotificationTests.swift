import FanfareCloudKit
import Testing

/// A device's notifications over connections that end.
@Suite struct NotificationTests {
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
        let transport = RecordedTransport(streams: [
            [": \n\n", String(first[..<half]), String(first[half...])],
            [event("3", record: "c"), "event: error\ndata: {\"serverErrorCode\": \"TRY_AGAIN_LATER\"}\n\n"],
        ])
        var records: [String] = []
        var last: FanfareNotification?
        let error = await #expect(throws: FanfareError.self) {
            for try await notification in FanfareClient(transport).notifications(on: "phone", after: "t") {
                last = notification
                if case .record(let name, _, .create, _) = notification.content { records.append(name) }
            }
        }
        #expect(error?.serverErrorCode == "CHANGE_TOKEN_EXPIRED")
        #expect(records == ["a", "b", "c"] && last?.token == "token-3" && last?.alertBody == "news")
        let tokens = transport.requests.map { $0.url.split(separator: "serverChangeToken=")[1].prefix { $0 != "&" } }
        #expect(tokens == ["t", "token-2", "token-3"])
    }

    @Test func `a page has them with the token after it`() async throws {
        let read = #"{"notificationID": "1", "notificationType": "readNotification", "changed": 5}"#
        let omitted =
            #"{"notificationID": "2", "notificationType": "omitted", "omittedCount": 800, "changed": 6, "#
            + #""zoneID": {"zoneName": "z"}, "databaseScope": "private"}"#
        let transport = RecordedTransport(answers: [
            (200, #"{"notifications": [\#(read), \#(omitted)], "serverChangeToken": "u", "moreComing": true}"#)
        ])
        let page = try await FanfareClient(transport).notificationPage(on: "phone", limit: 2)
        #expect(page.notifications.map(\.content) == [.read, .omitted(count: 800)])
        #expect(page.token == "u" && page.moreComing)
    }

    @Test func `an answer that is none of the service's is an error`() async throws {
        let client = FanfareClient(RecordedTransport(answers: [(200, #"{"notifications": 1}"#)]))
        let error = await #expect(throws: FanfareError.self) { try await client.notificationPage(on: "phone") }
        #expect(error?.reason.contains("notifications must be an array") == true)
    }
}
