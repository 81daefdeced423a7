import FanfareCloudKit
import Foundation
import TestSupport
import Testing

/// Subscriptions and the handling of notifications, as Apple's guides write them.
@Suite struct SubscriptionGuides {
    @Test("queries and subscriptions are archived")
    func archives() throws {
        let query = CKQuery(recordType: "Note", predicate: NSPredicate(format: "year > %@ AND title = 'a'", 1950))
        query.sortDescriptors = [
            NSSortDescriptor(key: "creationDate", ascending: false),
            CKLocationSortDescriptor(key: "place", relativeLocation: CLLocation(latitude: 1, longitude: 2)),
        ]
        let queried = try Self.again(query)
        #expect(queried.recordType == "Note" && queried.predicate == query.predicate)
        #expect(queried.sortDescriptors?.count == 2 && queried.sortDescriptors?.first?.ascending == false)

        let subscription = CKQuerySubscription(
            recordType: "Note", predicate: query.predicate, subscriptionID: "s",
            options: [.firesOnRecordUpdate, .firesOnce])
        subscription.notificationInfo = CKSubscription.NotificationInfo(alertBody: "news")
        subscription.zoneID = CKRecordZone.ID(zoneName: "z")
        let subscribed = try Self.again(subscription)
        #expect(subscribed.subscriptionID == "s" && subscribed.predicate == query.predicate)
        #expect(subscribed.querySubscriptionOptions == [.firesOnRecordUpdate, .firesOnce])
        #expect(subscribed.zoneID == subscription.zoneID && subscribed.notificationInfo?.alertBody == "news")
        let zone = CKRecordZoneSubscription(zoneID: CKRecordZone.ID(zoneName: "z"), subscriptionID: "z")
        zone.notificationInfo = CKSubscription.NotificationInfo()
        let data = try NSKeyedArchiver.archivedData(withRootObject: zone, requiringSecureCoding: true)
        let kind = try NSKeyedUnarchiver.unarchivedObject(ofClass: CKSubscription.self, from: data)
        #expect((kind as? CKRecordZoneSubscription)?.zoneID == zone.zoneID)
    }

    private static func again<Value: NSObject & NSSecureCoding>(_ value: Value) throws -> Value {
        let data = try NSKeyedArchiver.archivedData(withRootObject: value, requiringSecureCoding: true)
        return try #require(try NSKeyedUnarchiver.unarchivedObject(ofClass: Value.self, from: data))
    }

    @Test("a subscription without options fires on creations, updates and deletions")
    func defaultOptions() {
        let subscription = CKQuerySubscription(
            recordType: "Note", predicate: NSPredicate(value: true), subscriptionID: "s")
        #expect(
            subscription.querySubscriptionOptions == [
                .firesOnRecordCreation, .firesOnRecordUpdate, .firesOnRecordDeletion,
            ])
    }

    @Test("a query subscription notifies of changes of its records")
    func query() async throws {
        let devices = try await Devices()
        let (phone, pad) = (devices.device("phone"), devices.device("pad"))
        let database = phone.privateCloudDatabase
        let type = devices.name("Artwork")
        try await pad.registerDevice()
        try await phone.registerDevice()

        let predicate = NSPredicate(format: "artist = %@", "Mei Chen")
        let subscription = CKQuerySubscription(
            recordType: type, predicate: predicate, subscriptionID: "new-artwork",
            options: [.firesOnRecordCreation, .firesOnRecordUpdate, .firesOnRecordDeletion])
        let info = CKSubscription.NotificationInfo()
        info.alertLocalizationKey = "NEW_ARTWORK"
        info.alertLocalizationArgs = ["title"]
        info.title = "Gallery"
        info.soundName = "default"
        info.shouldBadge = true
        info.shouldSendContentAvailable = true
        info.desiredKeys = ["title"]
        info.category = "artwork"
        subscription.notificationInfo = info
        try await database.save(subscription)
        // The idempotent set-up: saving again is harmless.
        try await database.save(subscription)

        let record = CKRecord(recordType: type)
        record["artist"] = "Mei Chen"
        record["title"] = "Sea"
        try await database.save(record)
        record["title"] = "Lake"
        try await database.save(record)
        try await database.deleteRecord(withID: record.recordID)

        let received = try await next(3, pad.privateCloudDatabase.notifications())
        let queries = try received.map { try #require($0 as? CKQueryNotification) }
        #expect(queries.map(\.queryNotificationReason) == [.recordCreated, .recordUpdated, .recordDeleted])
        #expect(queries.allSatisfy { $0.recordID == record.recordID && $0.notificationType == .query })
        #expect(queries[0].recordFields?["title"] as? String == "Sea")
        #expect(queries[0].alertLocalizationKey == "NEW_ARTWORK" && queries[0].alertLocalizationArgs == ["Sea"])
        #expect(queries[1].title == "Gallery" && queries[1].soundName == "default" && queries[1].category == "artwork")
        #expect(queries.map(\.badge) == [1, 2, 3])
        #expect(queries[2].databaseScope == .private && queries[2].subscriptionID == "new-artwork")
        // The device that made the changes is not notified of them.
        #expect(try await phone.notificationPage().notifications.isEmpty)
    }

    @Test("a subscription that fires once is gone then")
    func firesOnce() async throws {
        let devices = try await Devices()
        let (phone, pad) = (devices.device("phone"), devices.device("pad"))
        let type = devices.name("Job")
        try await pad.registerDevice()
        let subscription = CKQuerySubscription(
            recordType: type, predicate: NSPredicate(value: true), options: [.firesOnRecordCreation, .firesOnce])
        subscription.notificationInfo = CKSubscription.NotificationInfo(alertBody: "done")
        try await phone.privateCloudDatabase.save(subscription)
        try await phone.privateCloudDatabase.save(CKRecord(recordType: type))
        let received = try await next(1, pad.notifications())
        #expect(received[0].alertBody == "done")
        try await eventually("the end of the subscription") {
            try await phone.privateCloudDatabase.allSubscriptions().isEmpty
        }
    }

    @Test("zone and database subscriptions notify of changes in custom zones")
    func zones() async throws {
        let devices = try await Devices()
        let (phone, pad) = (devices.device("phone"), devices.device("pad"))
        let database = phone.privateCloudDatabase
        let zone = CKRecordZone(zoneName: devices.name("Notes"))
        try await pad.registerDevice()
        try await database.save(zone)
        let ofZone = CKRecordZoneSubscription(zoneID: zone.zoneID, subscriptionID: "zone")
        ofZone.notificationInfo = CKSubscription.NotificationInfo(shouldSendContentAvailable: true)
        let ofDatabase = CKDatabaseSubscription(subscriptionID: "database")
        ofDatabase.notificationInfo = CKSubscription.NotificationInfo(shouldSendContentAvailable: true)
        let results = try await database.modifySubscriptions(saving: [ofZone, ofDatabase], deleting: [])
        #expect(results.saveResults.count == 2)
        try await database.save(CKRecord(recordType: devices.name("Note"), zoneID: zone.zoneID))

        let received = try await next(2, pad.notifications())
        let zoneNotification = try #require(received.lazy.compactMap { $0 as? CKRecordZoneNotification }.first)
        #expect(zoneNotification.recordZoneID == zone.zoneID && zoneNotification.subscriptionID == "zone")
        let databaseNotification = try #require(received.lazy.compactMap { $0 as? CKDatabaseNotification }.first)
        #expect(databaseNotification.databaseScope == .private && databaseNotification.subscriptionID == "database")
        // Both were fired by one change.
        #expect(zoneNotification.notificationID == databaseNotification.notificationID)
    }

    @Test("subscriptions are listed, updated and deleted")
    func managing() async throws {
        let devices = try await Devices()
        let database = devices.device().privateCloudDatabase
        let type = devices.name("Note")
        let subscription = CKQuerySubscription(
            recordType: type, predicate: NSPredicate(format: "number > %d", 5), subscriptionID: "large",
            options: .firesOnRecordCreation)
        subscription.changedKeys = []
        let missing = await #expect(throws: CKError.self) { try await database.save(subscription) }
        #expect(missing?.code == .invalidArguments)
        subscription.notificationInfo = CKSubscription.NotificationInfo(alertBody: "large")
        try await database.save(subscription)

        let listed = try #require(try await database.allSubscriptions().first as? CKQuerySubscription)
        #expect(listed.subscriptionID == "large" && listed.recordType == type)
        #expect(listed.predicate == subscription.predicate && listed.querySubscriptionOptions == .firesOnRecordCreation)
        listed.notificationInfo?.alertBody = "larger"
        try await database.save(listed)
        #expect(try await database.subscription(for: "large").notificationInfo?.alertBody == "larger")
        try await database.deleteSubscription(withID: "large")
        let gone = await #expect(throws: CKError.self) { try await database.subscription(for: "large") }
        #expect(gone?.code == .unknownItem)
        let never = CKQuerySubscription(recordType: type, predicate: NSPredicate(value: true), options: [])
        never.notificationInfo = CKSubscription.NotificationInfo()
        let refused = await #expect(throws: CKError.self) { try await database.save(never) }
        #expect(refused?.code == .invalidArguments)
        // CloudKit's first years had one class for all kinds.
        let old = CKSubscription(recordType: type, predicate: NSPredicate(value: true), options: .firesOnRecordCreation)
        #expect(old is CKQuerySubscription && old.subscriptionType == .query)
    }

    @Test("a subscription with a backfill delivers it first")
    func startingFrom() async throws {
        let devices = try await Devices()
        let (phone, pad) = (devices.device("phone"), devices.device("pad"))
        let type = devices.name("Event")
        try await pad.registerDevice()
        let record = CKRecord(recordType: type)
        try await phone.privateCloudDatabase.save(record)
        let subscription = CKQuerySubscription(
            recordType: type, predicate: NSPredicate(value: true), options: .firesOnRecordCreation)
        subscription.notificationInfo = CKSubscription.NotificationInfo(alertBody: "new")
        subscription.startingFrom = .date(Date(timeIntervalSinceNow: -3600))
        try await phone.privateCloudDatabase.save(subscription)
        let received = try await next(1, pad.notifications())
        #expect(received[0].isBackfilled && (received[0] as? CKQueryNotification)?.recordID == record.recordID)
    }

    @Test("a subscription has a delivery policy, and a device has policies of its own")
    func deliveryPolicies() async throws {
        let devices = try await Devices()
        let (phone, pad) = (devices.device("phone"), devices.device("pad"))
        try await pad.registerDevice()
        let type = devices.name("Note")
        let subscription = CKQuerySubscription(
            recordType: type, predicate: NSPredicate(value: true), options: .firesOnRecordCreation)
        subscription.notificationInfo = CKSubscription.NotificationInfo(alertBody: "new")
        let digest = CKDeliveryPolicy(.digest(window: .seconds(3600), count: 3), shapesFeed: true)
        subscription.notificationInfo?.deliveryPolicy = digest
        let saved = try await phone.privateCloudDatabase.save(subscription)
        #expect(saved.notificationInfo?.deliveryPolicy == digest)
        for _ in 0..<3 { try await phone.privateCloudDatabase.save(CKRecord(recordType: type)) }
        let received = try await next(1, pad.notifications())
        #expect(received.first?.changeCount == 3)

        #expect(try await pad.deliveryPolicies().policy == nil)
        let night = CKDeliveryPolicy.QuietHours(
            from: DateComponents(hour: 22, minute: 30), to: DateComponents(hour: 7, minute: 0))
        let policy = CKDeliveryPolicy(
            .latestPerRecord(window: .milliseconds(59_500)), quietHours: night, hourlyMax: 6)
        let chosen: [CKDatabase.Scope: [String: CKDeliveryPolicy]] = [
            .private: [subscription.subscriptionID: CKDeliveryPolicy()],
            .public: ["all": CKDeliveryPolicy(hourlyMax: 1)],
        ]
        try await pad.setDeliveryPolicies(policy, subscriptions: chosen)
        let kept = try await pad.deliveryPolicies()
        #expect(kept.policy?.grouping == .latestPerRecord(window: .seconds(60)))
        #expect(kept.policy?.quietHours == night && kept.policy?.hourlyMax == 6 && kept.subscriptions == chosen)
        let error = await #expect(throws: CKError.self) { try await pad.setDeliveryPolicies(digest) }
        #expect(error?.code == .invalidArguments)
        try await pad.setDeliveryPolicies()
        let none = try await pad.deliveryPolicies()
        #expect(none.policy == nil && none.subscriptions.isEmpty)
    }

    @Test("notifications are fetched by token, marked as read, and the badge is set")
    func collection() async throws {
        let devices = try await Devices()
        let (phone, pad) = (devices.device("phone"), devices.device("pad"))
        try await phone.registerDevice()
        let type = devices.name("Note")
        let subscription = CKQuerySubscription(
            recordType: type, predicate: NSPredicate(value: true), options: .firesOnRecordCreation)
        subscription.notificationInfo = CKSubscription.NotificationInfo(alertBody: "new", shouldBadge: true)
        try await phone.privateCloudDatabase.save(subscription)
        for _ in 0..<3 { try await phone.privateCloudDatabase.save(CKRecord(recordType: type)) }
        let streamed = try await next(3, pad.notifications())

        // As an app of 2016: fetch the notifications, mark them, keep the token.
        let received = Received<CKNotification>()
        let token = await withCheckedContinuation { (ended: CheckedContinuation<CKServerChangeToken?, Never>) in
            let operation = CKFetchNotificationChangesOperation(previousServerChangeToken: nil)
            operation.notificationChangedBlock = { notification in Task { await received.add(notification) } }
            operation.fetchNotificationChangesCompletionBlock = { token, _ in ended.resume(returning: token) }
            pad.add(operation)
        }
        try await eventually("three notifications") { await received.all.count == 3 }
        let ids = streamed.compactMap(\.notificationID)
        let marked = await withCheckedContinuation { (ended: CheckedContinuation<[CKNotification.ID]?, Never>) in
            let operation = CKMarkNotificationsReadOperation(notificationIDsToMarkRead: [ids[0]])
            operation.markNotificationsReadCompletionBlock = { ids, _ in ended.resume(returning: ids) }
            pad.add(operation)
        }
        #expect(marked == [ids[0]])
        // The other device learns that it was read.
        let read = try await next(1, phone.notifications())
        #expect(read[0].notificationType == .readNotification && read[0].notificationID == ids[0])

        let failure = await withCheckedContinuation { (ended: CheckedContinuation<(any Error)?, Never>) in
            let operation = CKModifyBadgeOperation(badgeValue: 7)
            operation.modifyBadgeCompletionBlock = { ended.resume(returning: $0) }
            pad.add(operation)
        }
        #expect(failure == nil)
        #expect(try await phone.badge() == 7)
        // Tokens are archived in both ways.
        let kept = try #require(token)
        let data = try NSKeyedArchiver.archivedData(withRootObject: kept, requiringSecureCoding: true)
        #expect(try NSKeyedUnarchiver.unarchivedObject(ofClass: CKServerChangeToken.self, from: data) == kept)
        #expect(try JSONDecoder().decode(CKServerChangeToken.self, from: JSONEncoder().encode(kept)) == kept)
        let middle = try #require(streamed[0].serverChangeToken)
        let rest = try await pad.notificationPage(after: middle).notifications.filter { $0 is CKQueryNotification }
        #expect(rest.map(\.notificationID) == [ids[1], ids[2]])
    }
}
