import JSON
import Testing

@Suite("5.9 Subscriptions") struct SubscriptionTests {
    /// The example of docs/cloudkit.md#dictionaries.
    private func subscription(_ id: String, _ type: String) -> JSONValue {
        [
            "subscriptionID": .string(id), "subscriptionType": "query", "zoneID": ["zoneName": "_defaultZone"],
            "query": [
                "recordType": .string(type),
                "filterBy": [
                    ["fieldName": "kind", "comparator": "EQUALS", "fieldValue": ["value": "x", "type": "STRING"]]
                ],
            ],
            "firesOn": ["create", "update"], "firesOnce": false,
            "notificationInfo": ["alertBody": "Changed", "additionalFields": ["title"], "shouldBadge": true],
        ]
    }

    private func modify(_ user: Visitor, _ kind: String, _ subscription: JSONValue) async throws -> JSONValue {
        let reply = try await user.post(
            "subscriptions/modify",
            ["operations": [["operationType": .string(kind), "subscription": subscription]]])
        return reply.items("subscriptions").first ?? reply.json
    }

    @Test("5.9 a subscription is created, listed, looked up and deleted")
    func life() async throws {
        let user = try await ConformanceService.shared().user()
        let made = try await modify(user, "create", subscription("sub-1", Unique.type()))
        #expect(made["subscriptionID"] == "sub-1" && made["subscriptionType"] == "query", "\(made)")
        #expect(made["firesOn"] == ["create", "update"] && made["firesOnce"] == false)
        let listed = try await user.get("subscriptions/list")
        #expect(listed.items("subscriptions") == [made])
        let found = try await user.post(
            "subscriptions/lookup", ["subscriptions": [["subscriptionID": "sub-1"], ["subscriptionID": "none"]]])
        #expect(found.items("subscriptions").first == made)
        #expect(found.items("subscriptions").last?.code == "NOT_FOUND")
        let deleted = try await modify(user, "delete", ["subscriptionID": "sub-1"])
        #expect(deleted == ["subscriptionID": "sub-1", "deleted": true])
        #expect(try await user.get("subscriptions/list").items("subscriptions") == [])
    }

    @Test("5.9 creating the same subscription again does not fail")
    func again() async throws {
        let user = try await ConformanceService.shared().user()
        let wanted = subscription("sub-1", Unique.type())
        let first = try await modify(user, "create", wanted)
        #expect(try await modify(user, "create", wanted) == first)
    }

    @Test("5.3 a subscription without an ID gets one")
    func madeID() async throws {
        let user = try await ConformanceService.shared().user()
        guard var wanted = subscription("", Unique.type()).object else { return }
        wanted["subscriptionID"] = nil
        let made = try await modify(user, "create", .object(wanted))
        #expect(made["subscriptionID"]?.string?.isEmpty == false, "\(made)")
    }

    @Test("5.3 subscription types are known in the spelling of Apple's JS, too")
    func spelling() async throws {
        let user = try await ConformanceService.shared().user()
        guard var wanted = subscription("sub-1", Unique.type()).object else { return }
        wanted["subscriptionType"] = "QUERY"
        #expect(try await modify(user, "create", .object(wanted))["subscriptionType"] == "query")
    }

    @Test("5.3 a subscription without a type or with another one is BAD_REQUEST")
    func wrongTypes() async throws {
        let user = try await ConformanceService.shared().user()
        guard var wanted = subscription("sub-1", Unique.type()).object else { return }
        for type in [nil, "nonsense"] as [JSONValue?] {
            wanted["subscriptionType"] = type
            #expect(try await modify(user, "create", .object(wanted)).code == "BAD_REQUEST")
        }
    }

    @Test("5.9 subscriptions are their user's alone")
    func owners() async throws {
        let service = try await ConformanceService.shared()
        let (one, two) = (try await service.user(), try await service.user())
        _ = try await modify(one, "create", subscription("sub-1", Unique.type()))
        #expect(try await two.get("subscriptions/list").items("subscriptions") == [])
        #expect(try await modify(two, "delete", ["subscriptionID": "sub-1"]).code == "NOT_FOUND")
    }
}
