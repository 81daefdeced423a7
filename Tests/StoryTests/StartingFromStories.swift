import CloudModel
import FanfareCloudKit
import JSON
import TestSupport
import Testing

/// Subscriptions that begin in the past, over HTTP, on the embedded log and on Kafka.
@Suite struct StartingFromStories {
    static let kinds = StorySystem.Kind.available

    private static func subscription(_ id: String, to type: String, from: JSONValue?) -> JSONValue {
        var json: JSONObject = [
            "subscriptionID": .string(id), "subscriptionType": "query", "query": ["recordType": .string(type)],
            "firesOn": ["create", "update", "delete"],
            "notificationInfo": ["alertBody": "changed", "shouldBadge": true],
        ]
        if let from { json["startingFrom"] = from }
        return .object(json)
    }

    @Test(
        "a new subscription delivers the backfill of each record first, marked, and then new changes", arguments: kinds)
    func past(_ kind: StorySystem.Kind) async throws {
        let alice = try await StorySystem.shared(kind).user("alice")
        let phone = try await alice.register("phone")
        let type = "Past\(UInt32.random(in: 0 ... .max))"
        let names = (0..<30).map { "\(type)-\($0)" }
        try await alice.save(names.map { ($0, ["n": 1]) }, type: type)
        let made = try await alice.modifySubscriptions([("create", Self.subscription("late", to: type, from: 0))])
        #expect(made[0]["startingFrom"] == 0)
        try await alice.save(names.map { ($0, ["n": 2]) }, type: type)
        let notifications = try await alice.notifications(phone, atLeast: 60).filter { $0["subscriptionID"] == "late" }
        #expect(notifications.count == 60)
        let marked = notifications.filter { $0["isBackfilled"] == true }
        let rest = notifications.filter { $0["isBackfilled"] == nil }
        #expect(marked.count == 30)
        for name in names {
            let own = notifications.filter { $0["recordName"]?.string == name }
            #expect(own.map { $0["isBackfilled"] == true } == [true, false])
        }
        #expect(marked.allSatisfy { $0["queryNotificationReason"] == "recordCreated" && $0["badge"] == nil })
        #expect(Set(marked.compactMap { $0["recordName"]?.string }) == Set(names))
        #expect(rest.allSatisfy { $0["queryNotificationReason"] == "recordUpdated" })
        #expect(rest.last?["badge"] == 30)
        // A lookup shows it; saving the same again changes nothing.
        let again = try await alice.modifySubscriptions([("create", Self.subscription("late", to: type, from: 0))])
        #expect(again[0]["startingFrom"] == 0)
        #expect(try await alice.feed(phone).notes.count(where: { $0.subscription == "late" }) == 60)
    }

    @Test("a change token of one's own is a place in the past; another's is none", arguments: kinds)
    func token(_ kind: StorySystem.Kind) async throws {
        let system = try await StorySystem.shared(kind)
        let alice = try await system.user("alice")
        let phone = try await alice.register("phone")
        let type = "Token\(UInt32.random(in: 0 ... .max))"
        try await alice.subscribe("first", to: type, on: ["create"])
        try await alice.save([("\(type)-0", ["n": 1])], type: type)
        let seen = try await alice.feed(phone, atLeast: 1)
        try await alice.save([("\(type)-1", ["n": 1]), ("\(type)-2", ["n": 1])], type: type)
        let made = try await alice.modifySubscriptions([
            ("create", Self.subscription("second", to: type, from: .string(seen.token)))
        ])
        #expect((made[0]["startingFrom"]?.integer ?? 0) > 0)
        let notifications = try await alice.notifications(phone, atLeast: 6).filter { $0["subscriptionID"] == "second" }
        // From the last change on that the token had seen.
        #expect(Set(notifications.compactMap { $0["recordName"]?.string }) == ["\(type)-0", "\(type)-1", "\(type)-2"])
        let bob = try await system.user("bob")
        let refused = try await bob.modifySubscriptions([
            ("create", Self.subscription("third", to: type, from: .string(seen.token))),
            ("create", Self.subscription("fourth", to: type, from: "nonsense")),
            ("create", Self.subscription("fifth", to: type, from: -1)),
            ("create", Self.subscription("sixth", to: type, from: 1e15)),
            ("create", Self.subscription("seventh", to: type, from: true)),
        ])
        #expect(refused.allSatisfy { $0["serverErrorCode"] == "BAD_REQUEST" })
        #expect(try await bob.subscriptions().isEmpty)
    }

    @Test(
        "a subscription goes on from a query without a gap and without a repeat", arguments: kinds,
        [DatabaseScope.public, .private])
    func state(_ kind: StorySystem.Kind, _ database: DatabaseScope) async throws {
        let alice = try await StorySystem.shared(kind).user("alice")
        let phone = try await alice.register("phone")
        let type = "State\(UInt32.random(in: 0 ... .max))"
        let names = (0..<60).map { "\(type)-\($0)" }
        async let saving: Void = {
            for name in names { try await alice.save([(name, ["n": 1])], type: type, in: database) }
        }()
        // The query comes between two saves, and so does the subscription.
        let (page, token) = try await answer("a page with some of them") {
            let answer = try await alice.client.database(
                database, "records/query", ["query": ["recordType": .string(type)]])
            let found = answer["records"]?.array?.compactMap { $0["recordName"]?.string } ?? []
            return found.count >= 5 ? (Set(found), try #require(answer["syncToken"]?.string)) : nil
        }
        _ = try await alice.modifySubscriptions(
            [("create", Self.subscription("next", to: type, from: .string(token)))], in: database)
        try await saving
        let notifications = try await alice.notifications(phone, atLeast: names.count - page.count)
        let notified = notifications.compactMap { $0["recordName"]?.string }
        #expect(notified.count == Set(notified).count)
        #expect(page.isDisjoint(with: notified))
        #expect(page.union(notified) == Set(names))
    }
}
