import CloudModel
import FanfareCloudKit
import JSON
import TestSupport
import Testing

/// Story S3, over HTTP, on the embedded log and on Kafka.
@Suite struct SavingSubscriptionStories {
    static let kinds = StorySystem.Kind.available

    /// Each test has a record type of its own: others' records in the public database fire, too.
    private func subscription(
        _ id: String, _ text: String, to type: String, color: String, on event: String = "update"
    ) -> JSONValue {
        [
            "subscriptionID": .string(id), "subscriptionType": "query",
            "query": [
                "recordType": .string(type),
                "filterBy": [
                    ["fieldName": "color", "comparator": "EQUALS", "fieldValue": ["value": .string(color)]]
                ],
            ], "firesOn": [.string(event)], "notificationInfo": ["alertBody": .string(text)],
        ]
    }

    private func codes(_ items: [JSONValue]) -> [String?] { items.map { $0["serverErrorCode"]?.string } }

    @Test("S3 each operation has its own result, and saved subscriptions are listed and looked up", arguments: kinds)
    func saving(_ kind: StorySystem.Kind) async throws {
        let system = try await StorySystem.shared(kind)
        let (alice, bob) = (try await system.user("alice"), try await system.user("bob"))
        let saved = try await alice.modifySubscriptions([
            ("create", subscription("red", "red", to: "Dye", color: "red")), ("create", ["subscriptionID": "odd"]),
            ("create", subscription("blue", "blue", to: "Dye", color: "blue")),
            ("update", subscription("none", "", to: "Dye", color: "red")),
            ("delete", ["subscriptionID": "none-either"]),
            ("create", subscription("twin", "twin", to: "Dye", color: "red")),
        ])
        #expect(codes(saved) == [nil, "BAD_REQUEST", nil, "NOT_FOUND", "NOT_FOUND", "BAD_REQUEST"])
        #expect(saved.map { $0["subscriptionID"] } == ["red", "odd", "blue", "none", "none-either", "twin"])
        #expect(saved[5]["reason"]?.string?.contains("'red' has the same condition") == true, "\(saved[5])")
        #expect(saved[0]["query"]?["filterBy"]?[0]?["fieldValue"] == ["value": "red", "type": "STRING"])
        // Saving the same again is harmless, and so is a twin of it on other events.
        let again = try await alice.modifySubscriptions([
            ("create", subscription("red", "red", to: "Dye", color: "red")),
            ("update", subscription("blue", "blue", to: "Dye", color: "blue")),
            ("create", subscription("gone", "red", to: "Dye", color: "red", on: "delete")),
        ])
        #expect(Array(again.prefix(2)) == [saved[0], saved[2]] && again[2]["serverErrorCode"] == nil)
        let listed = try await alice.client.get("database", "public/subscriptions/list")["subscriptions"]?.array ?? []
        #expect(listed.count == 3 && [saved[0], saved[2], again[2]].allSatisfy(listed.contains), "\(listed)")
        // Nobody else sees them, or the same user in another database.
        #expect(try await bob.subscriptions().isEmpty)
        #expect(try await alice.subscriptions(in: .private).isEmpty)
        let ids: JSONValue = ["subscriptions": [["subscriptionID": "blue"], ["subscriptionID": "none"]]]
        let found = try await alice.client.database(.public, "subscriptions/lookup", ids)["subscriptions"]?.array ?? []
        #expect(found.first == saved[2] && codes(found) == [nil, "NOT_FOUND"])
        let others = try await bob.client.database(.public, "subscriptions/lookup", ids)["subscriptions"]?.array ?? []
        #expect(codes(others) == ["NOT_FOUND", "NOT_FOUND"])
    }

    @Test("S3 a new alert text is in the next notification, another condition is refused", arguments: kinds)
    func updating(_ kind: StorySystem.Kind) async throws {
        let alice = try await StorySystem.shared(kind).user("alice")
        let phone = try await alice.register("phone")
        try await alice.subscribeToFence("Paint")
        for text in ["first", "second", "third"] {
            // As apps do that save their subscriptions at every start, and as they should.
            let kind = text == "second" ? "create" : "update"
            let items = try await alice.modifySubscriptions([
                (text == "first" ? "create" : kind, subscription("red", text, to: "Paint", color: "red"))
            ])
            #expect(items[0]["notificationInfo"]?["alertBody"]?.string == text, "\(items)")
            try await alice.save([("p", ["color": "blue"])], type: "Paint")
            try await alice.save([("p", ["color": "red"])], type: "Paint")
        }
        for kind in ["create", "update"] {
            let refused = try await alice.modifySubscriptions([
                (kind, subscription("red", "x", to: "Paint", color: "green"))
            ])
            #expect(codes(refused) == ["BAD_REQUEST"])
            #expect(refused[0]["reason"]?.string?.contains("delete it and create a new one") == true, "\(refused)")
        }
        try await alice.save([("p", ["color": "green"])], type: "Paint")
        try await alice.save([("p", ["color": "red"])], type: "Paint")
        let notes = try await alice.settled(["p"], of: "Paint", on: phone)
        // The fence is an update of a record that is red, too.
        #expect(notes.map(\.alert) == ["first", "second", "third", "third", "third"])
    }

    @Test("S3 several are deleted in one request, each with its result, and none of them fires again", arguments: kinds)
    func deleting(_ kind: StorySystem.Kind) async throws {
        let alice = try await StorySystem.shared(kind).user("alice")
        let phone = try await alice.register("phone")
        try await alice.subscribeToFence("Ink")
        let colors = ["red", "blue", "green"]
        let made = try await alice.modifySubscriptions(
            colors.map { ("create", subscription($0, $0, to: "Ink", color: $0, on: "enter")) })
        #expect(codes(made) == [nil, nil, nil])
        let names = colors.map { "\($0)-\(phone)" }
        try await alice.save(zip(names, colors).map { ($0, ["color": .string($1)]) }, type: "Ink")
        let deleted = try await alice.modifySubscriptions(
            ["red", "none", "green"].map { ("delete", ["subscriptionID": .string($0)]) })
        #expect(codes(deleted) == [nil, "NOT_FOUND", nil])
        #expect(deleted[0] == ["subscriptionID": "red", "deleted": true] && deleted[2]["deleted"] == true)
        #expect(try await alice.subscriptions() == ["blue", "fence"])
        try await alice.save(names.map { ($0, ["color": "none"]) }, type: "Ink")
        try await alice.save(zip(names, colors).map { ($0, ["color": .string($1)]) }, type: "Ink")
        let notes = try await alice.settled(names, of: "Ink", on: phone)
        let delivered = notes.map { "\($0.subscription ?? "") \($0.reason ?? "")" }.sorted()
        let created = colors.map { "\($0) recordCreated" }
        #expect(delivered == (created + ["blue recordUpdated"]).sorted())
    }
}
