import FanfareCloudKit
import Foundation
import Testing

/// Pushes as an app's delegate is handed them.
@Suite struct PushGuides {
    @Test("a push of a query subscription is a query notification")
    func query() throws {
        let payload: [AnyHashable: Any] = [
            "aps": [
                "alert": ["loc-key": "NEW", "loc-args": ["Sea"], "title": "Gallery"], "badge": 2, "sound": "default",
            ],
            "ck": [
                "ce": 2, "cid": "iCloud.com.example", "ckuserid": "_0123456789abcdef0123456789abcdef", "nid": "n1",
                "qry": [
                    "dbs": 1, "fo": 2, "rid": "r1", "sid": "s1", "zid": "Notes",
                    "zoid": "_0123456789abcdef0123456789abcdef", "af": ["title": "Sea", "year": 1998],
                ],
            ],
        ]
        let notification = try #require(CKNotification(fromRemoteNotificationDictionary: payload))
        let query = try #require(notification as? CKQueryNotification)
        #expect(query.queryNotificationReason == .recordUpdated && query.databaseScope == .private)
        #expect(query.recordID == CKRecord.ID(recordName: "r1", zoneID: CKRecordZone.ID(zoneName: "Notes")))
        #expect(query.recordFields?["title"] as? String == "Sea" && query.recordFields?["year"] as? Int == 1998)
        #expect(query.alertLocalizationKey == "NEW" && query.alertLocalizationArgs == ["Sea"])
        #expect(query.title == "Gallery" && query.badge == 2 && query.soundName == "default" && !query.isPruned)
        #expect(query.containerIdentifier == "iCloud.com.example" && query.subscriptionID == "s1")
        #expect(CKQueryNotification(fromRemoteNotificationDictionary: payload)?.recordID == query.recordID)
        #expect(CKDatabaseNotification(fromRemoteNotificationDictionary: payload) == nil)
    }

    @Test("pushes of zones and databases are notifications of their kinds")
    func zones() throws {
        let zone: [AnyHashable: Any] = ["ck": ["nid": "n", "fet": ["dbs": 1, "sid": "s", "zid": "Notes"]]]
        let ofZone = CKNotification(fromRemoteNotificationDictionary: zone) as? CKRecordZoneNotification
        #expect(ofZone?.recordZoneID?.zoneName == "Notes")
        let database: [AnyHashable: Any] = ["ck": ["p": 1, "met": ["dbs": 3, "sid": "s"]], "aps": ["alert": "Hi"]]
        let ofDatabase = CKNotification(fromRemoteNotificationDictionary: database) as? CKDatabaseNotification
        #expect(ofDatabase?.databaseScope == .shared && ofDatabase?.isPruned == true && ofDatabase?.alertBody == "Hi")
    }

    @Test("a push may count left out notifications, and may say which were read on another device")
    func withoutSubscription() throws {
        let omitted: [AnyHashable: Any] = [
            "aps": ["content-available": 1],
            "ck": ["nid": "n", "omitted": 7, "met": ["dbs": 1, "zid": "Notes"]] as [String: Any],
        ]
        let ofDatabase = CKNotification(fromRemoteNotificationDictionary: omitted) as? CKDatabaseNotification
        #expect(
            ofDatabase?.omittedCount == 7 && ofDatabase?.subscriptionID == nil && ofDatabase?.databaseScope == .private)
        let read: [AnyHashable: Any] = ["ck": ["ce": 2, "read": ["n2", "n1"]] as [String: Any]]
        let newest = CKNotification(fromRemoteNotificationDictionary: read)
        #expect(newest?.notificationType == .readNotification)
        #expect(
            newest?.notificationID
                == CKNotification(fromRemoteNotificationDictionary: ["ck": ["nid": "n2", "met": ["dbs": 1]]])?
                .notificationID)
    }

    @Test(
        "other pushes are none, whatever they hold",
        arguments: [#"{"aps": {"alert": "Hi"}}"#, #"{"ck": 5}"#, #"{"ck": {"qry": []}}"#, #"{"ck": {"ce": 2}}"#])
    func others(payload: String) throws {
        let dictionary = try #require(try JSONSerialization.jsonObject(with: Data(payload.utf8)) as? [String: Any])
        #expect(CKNotification(fromRemoteNotificationDictionary: dictionary) == nil)
    }
}
