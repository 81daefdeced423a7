import CloudJSON
import CloudMessages
import CloudModel
import Cryptography
import JSON
import TestSupport
import Testing

@testable import Feeds

/// The notification's keys (docs/http-api.md).
@Suite struct NotificationJSONTests {
    private let identifiers = NotificationIdentifiers(KeyRing.generate())

    private func json(
        database: DatabaseScope = .public, reason: Change.Kind = .created, body: String? = nil, badge: Int64? = nil,
        fields: RecordFields = RecordFields()
    ) -> (JSONValue, Notification) {
        let notification = Notification(
            subject: NotificationSubject(user: FeedHistory.user, change: CommitSequence(9)),
            content: .query(
                Notification.QueryContent(
                    subscription: SubscriptionKey(
                        user: FeedHistory.user, database: database, id: SubscriptionID(trusted: "sub-1")),
                    reason: reason, recordName: RecordName(trusted: "mona"), recordType: RecordType(trusted: "Artwork"),
                    zone: .publicDefault, fields: fields, appearance: Appearance(alert: AlertText(body)), badge: badge)),
            changed: Timestamp(milliseconds: 1_700_000_000_123))
        return (
            NotificationJSON(identifier: identifiers.encode, payload: nil).json(notification),
            notification
        )
    }

    @Test func aQueryNotificationHasTheKeysOfTheContract() throws {
        let (json, notification) = json()
        let keys = try #require(json.object).map(\.key)
        #expect(
            Set(keys) == [
                "notificationID", "notificationType", "subscriptionID", "subscriptionOwnerUserRecordName",
                "queryNotificationReason", "recordName", "recordType", "recordFields", "zoneID", "databaseScope",
                "isPruned", "changed",
            ])
        #expect(json["notificationID"]?.string == identifiers.encode(notification.subject))
        #expect(json["notificationType"] == "query")
        #expect(json["subscriptionID"] == "sub-1")
        #expect(json["subscriptionOwnerUserRecordName"]?.string == FeedHistory.user.rawValue)
        #expect(json["recordName"] == "mona" && json["recordType"] == "Artwork")
        #expect(json["recordFields"] == [:])
        #expect(json["zoneID"]?["zoneName"] == "_defaultZone")
        #expect(json["zoneID"]?["ownerRecordName"] == "_defaultOwner")
        #expect(json["isPruned"] == false)
        #expect(json["changed"]?.integer == 1_700_000_000_123)
    }

    @Test("members are written in the order of the contract")
    func order() {
        var fields = RecordFields()
        fields[FieldName(trusted: "title")] = .string("a \"b\"\n")
        let written = NotificationJSON(identifier: { _ in "id" }, payload: { $2.value($1) }).bytes(
            json(body: "Neu", badge: 2, fields: fields).1)
        #expect(
            String(decoding: written, as: UTF8.self)
                == #"{"notificationID":"id","notificationType":"query","subscriptionID":"sub-1","#
                + #""subscriptionOwnerUserRecordName":"\#(FeedHistory.user)","queryNotificationReason":"recordCreated","#
                + #""recordName":"mona","recordType":"Artwork","#
                + #""recordFields":{"title":{"value":"a \"b\"\n","type":"STRING"}},"#
                + #""zoneID":{"zoneName":"_defaultZone","ownerRecordName":"_defaultOwner","zoneType":"DEFAULT_ZONE"},"#
                + #""databaseScope":"public","alertBody":"Neu","badge":2,"isPruned":false,"#
                + #""changed":1700000000123,"pushPayload":"id"}"#)
    }

    @Test(arguments: [
        (Change.Kind.created, "recordCreated"), (.updated, "recordUpdated"), (.deleted, "recordDeleted"),
    ])
    func reasonsHaveTheirNames(reason: Change.Kind, name: String) {
        #expect(json(reason: reason).0["queryNotificationReason"]?.string == name)
    }

    @Test(arguments: [(DatabaseScope.public, "public"), (.private, "private"), (.shared, "shared")])
    func databasesHaveTheirNames(database: DatabaseScope, name: String) {
        #expect(json(database: database).0["databaseScope"]?.string == name)
    }

    @Test func requestedMembersArePresent() {
        var fields = RecordFields()
        let reference = Reference(recordName: RecordName(trusted: "r"), action: .validate)
        for (name, value) in [
            ("a", FieldValue.string("x\u{0}y")), ("b", .int64(.max)), ("c", .double(0.1)),
            ("d", .timestamp(Timestamp(milliseconds: -5))), ("e", .reference(reference)),
            ("f", .stringList(["", "z"])),
        ] {
            fields[FieldName(trusted: name)] = value
        }
        let (json, _) = json(body: "Neu: ü", badge: 0, fields: fields)
        #expect(json["alertBody"] == "Neu: ü")
        #expect(json["badge"]?.integer == 0)
        #expect(
            json["recordFields"] == [
                "a": ["value": "x\u{0}y", "type": "STRING"], "b": ["value": .integer(.max), "type": "INT64"],
                "c": ["value": 0.1, "type": "DOUBLE"], "d": ["value": -5, "type": "TIMESTAMP"],
                "e": ["value": ["recordName": "r", "action": "VALIDATE"], "type": "REFERENCE"],
                "f": ["value": ["", "z"], "type": "STRING_LIST"],
            ])
    }

    @Test func thePushPayloadIsGivenByItsMaker() {
        let notification = json().1
        let encoder = NotificationJSON(
            identifier: { "\($0.change)" },
            payload: { notification, id, writer in
                writer.beginObject()
                writer.member(id, notification.changed.milliseconds)
                writer.endObject()
            })
        let json = encoder.json(notification)
        #expect(json["notificationID"] == "9" && json["pushPayload"] == ["9": 1_700_000_000_123])
    }

    @Test func aReadMarkHasThreeKeysOnly() throws {
        let subject = NotificationSubject(user: FeedHistory.user, change: CommitSequence(9))
        let json = NotificationJSON(identifier: identifiers.encode, payload: nil).json(
            Notification(subject: subject, content: .read, changed: Timestamp(milliseconds: 5)))
        #expect(Set(try #require(json.object).map(\.key)) == ["notificationID", "notificationType", "changed"])
        #expect(json["notificationType"] == "readNotification")
        // The ID is that of the notification that was read.
        #expect(json["notificationID"] == self.json().0["notificationID"])
    }

    /// Hits over a change's bound are one entry: their number, and what to fetch. It makes no push.
    @Test func omissionsHaveACountAndARemedy() throws {
        let entry = FeedEntry(
            user: FeedHistory.user.rawValue, time: 5,
            entry: .omitted(
                OmittedNotifications(
                    database: 1, change: 9, reason: 2, recordType: "T", recordName: "r",
                    zone: ZoneMessage(.publicDefault), count: 800)))
        let notification = try #require(Notification(entry))
        let json = NotificationJSON(identifier: identifiers.encode, payload: nil).json(notification)
        #expect(json["notificationType"] == "omitted" && json["omittedCount"] == 800)
        #expect(json["recordName"] == "r" && json["recordType"] == "T" && json["databaseScope"] == "public")
        #expect(json["queryNotificationReason"] == "recordUpdated" && json["pushPayload"] == nil)
        #expect(json["notificationID"] == self.json().0["notificationID"])
    }
}
