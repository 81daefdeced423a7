import CloudModel
import FanfareCloudKit
import JSON
import TestSupport
import Testing

/// Stories S2 and R4, over HTTP, on the embedded log and on Kafka.
@Suite struct ZoneSubscriptionStories {
    static let kinds = StorySystem.Kind.available

    private func subscribe(_ user: StoryUser, in database: DatabaseScope, _ subscription: JSONValue) async throws {
        let answer = try await user.client.database(
            database, "subscriptions/modify",
            ["operations": [["operationType": "create", "subscription": subscription]]])
        #expect(answer["subscriptions"]?[0]?["serverErrorCode"] == nil, "\(answer)")
    }

    private func zone(_ user: StoryUser, _ kind: String, _ name: String) async throws {
        let answer = try await user.client.database(
            .private, "zones/modify",
            ["operations": [["operationType": .string(kind), "zone": ["zoneID": ["zoneName": .string(name)]]]]])
        #expect(answer["zones"]?[0]?["serverErrorCode"] == nil, "\(answer)")
    }

    @discardableResult
    private func save(_ user: StoryUser, _ record: JSONValue, zone: String) async throws -> JSONValue {
        let answer = try await user.client.database(
            .private, "records/modify",
            [
                "operations": [["operationType": "forceUpdate", "record": record]],
                "zoneID": ["zoneName": .string(zone)],
            ])
        let item = answer["records"]?[0] ?? .null
        #expect(item["serverErrorCode"] == nil, "\(item)")
        return item
    }

    private func delivered(_ page: StoryUser.Page) -> [String] {
        page.notes.map { "\($0.type) \($0.subscription ?? "")" }
    }

    @Test("S2 zone and database subscriptions fire on custom zones and their records", arguments: kinds)
    func zonesAndDatabases(_ kind: StorySystem.Kind) async throws {
        let alice = try await StorySystem.shared(kind).user("alice")
        let phone = try await alice.register("phone")
        try await subscribe(
            alice, in: .private, ["subscriptionID": "all", "subscriptionType": "database", "notificationInfo": [:]])
        try await zone(alice, "create", "notes")
        try await subscribe(
            alice, in: .private,
            [
                "subscriptionID": "notes", "subscriptionType": "zone", "zoneID": ["zoneName": "notes"],
                "notificationInfo": ["alertBody": "a note"],
            ])
        try await save(alice, ["recordName": "n", "recordType": "Note"], zone: "notes")
        try await save(alice, ["recordName": "n", "recordType": "Note"], zone: "_defaultZone")
        try await zone(alice, "delete", "notes")
        let feed = try await alice.feed(phone, atLeast: 4)
        #expect(delivered(feed) == ["database all", "database all", "recordZone notes", "database all"])
        #expect(feed.notes.allSatisfy { $0.record == nil && $0.reason == nil && $0.fields == nil })
        #expect(feed.notes.map(\.alert) == [nil, nil, "a note", nil])
        // What watched the zone alone is gone with it.
        #expect(try await alice.subscriptions(in: .private) == ["all"])
    }

    @Test("R4 changes of a shared zone fire the participants' database subscriptions", arguments: kinds)
    func sharedZones(_ kind: StorySystem.Kind) async throws {
        let system = try await StorySystem.shared(kind)
        let alice = try await system.user("alice")
        let bob = try await system.user("bob")
        let phone = try await bob.register("phone")
        try await subscribe(
            bob, in: .shared, ["subscriptionID": "shared", "subscriptionType": "database", "notificationInfo": [:]])
        try await zone(alice, "create", "family")
        try await save(alice, ["recordName": "before", "recordType": "Note"], zone: "family")
        let share = try await save(
            alice,
            [
                "recordName": "cloudkit.zoneshare", "recordType": "cloudkit.share",
                "publicPermission": "READ_ONLY",
            ], zone: "family")
        let guid = try #require(share["shortGUID"]?.string)
        let accepted = try await bob.client.database(
            .public, "records/accept", ["shortGUIDs": [["value": .string(guid)]]])
        #expect(accepted["results"]?[0]?["serverErrorCode"] == nil, "\(accepted)")
        try await save(alice, ["recordName": "after", "recordType": "Note"], zone: "family")
        try await zone(alice, "delete", "family")
        // The zone comes, a record in it changes, the zone goes.
        let feed = try await bob.feed(phone, atLeast: 3)
        #expect(delivered(feed) == Array(repeating: "database shared", count: 3), "\(feed.notes)")
    }
}
