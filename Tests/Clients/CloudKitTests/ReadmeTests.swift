import FanfareCloudKit  // instead of CloudKit
import Testing

/// The app of README.md. `ReadmeTests` of RepositoryTests compare the lines.
func watchTurner(_ database: CKDatabase) async throws -> String {
    let subscription = CKQuerySubscription(
        recordType: "Artwork", predicate: NSPredicate(format: "artist = %@", "Turner"), subscriptionID: "turner",
        options: .firesOnRecordCreation)
    subscription.notificationInfo = CKSubscription.NotificationInfo(alertBody: "A new Turner", desiredKeys: ["title"])
    try await database.save(subscription)
    for try await case let notification as CKQueryNotification in database.notifications() {
        return "\(notification.alertBody ?? ""): \(notification.recordFields?["title"] ?? "")"
    }
    return ""
}

@Suite struct ReadmeTests {
    @Test("the app of the README gets the notification that the README shows")
    func notification() async throws {
        let devices = try await Devices()
        let (phone, pad) = (devices.device("phone"), devices.device("pad"))
        try await phone.registerDevice()
        let watched = Task { try await watchTurner(phone.privateCloudDatabase) }
        while try await pad.privateCloudDatabase.allSubscriptions().isEmpty { await Task.yield() }
        let artwork = CKRecord(recordType: "Artwork")
        artwork["artist"] = "Turner"
        artwork["title"] = "Sunrise"
        try await pad.privateCloudDatabase.save(artwork)
        #expect(try await watched.value == "A new Turner: Sunrise")
    }
}
