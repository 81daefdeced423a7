import CloudModel
import JSON
import TestSupport
import Testing

/// All of `notificationInfo`, from its save to the notification (docs/cloudkit.md#notificationinfo; docs/choices.md,
/// 21).
@Suite struct NotificationInfoEndpointTests {
    private static let full: JSONValue = [
        "alertBody": "body", "alertLocalizationKey": "BODY", "alertLocalizationArgs": ["title", "absent", "n"],
        "title": "t", "titleLocalizationKey": "TITLE", "titleLocalizationArgs": ["n"], "subtitle": "s",
        "subtitleLocalizationKey": "SUBTITLE", "subtitleLocalizationArgs": ["when"],
        "alertActionLocalizationKey": "ACTION", "alertLaunchImage": "launch.png", "soundName": "default",
        "category": "chat", "collapseIDKey": "title", "shouldSendContentAvailable": true,
        "shouldSendMutableContent": true, "additionalFields": ["title", "n"], "shouldBadge": true,
    ]

    @Test func savedInfoIsListed() async throws {
        try await WebBench.run { bench in
            let alice = try await bench.signIn("alice")
            try await bench.subscribe(alice, info: Self.full)
            let listed = try await bench.send("GET", bench.database("subscriptions/list"), user: alice)
            #expect(listed.json["subscriptions"]?[0]?["notificationInfo"] == Self.full)
        }
    }

    @Test func requestedInfoIsShown() async throws {
        try await WebBench.run { bench in
            let alice = try await bench.signIn("alice")
            let bob = try await bench.signIn("bob")
            try await bench.register("phone", alice)
            try await bench.subscribe(alice, info: Self.full)
            let long = String(repeating: "x", count: 150)
            try await bench.save(
                "r",
                [
                    "title": ["value": .string(long)], "n": ["value": 7],
                    "when": ["value": 0, "type": "TIMESTAMP"],
                ], user: bob)
            let page = try await bench.changes("phone", alice, ["waitSeconds": 60])
            let found = try #require(page.json["notifications"]?[0])
            let shown: JSONObject = [
                "alertBody": "body", "alertLocalizationKey": "BODY",
                "alertLocalizationArgs": [.string(long), "", "7"], "title": "t", "titleLocalizationKey": "TITLE",
                "titleLocalizationArgs": ["7"], "subtitle": "s", "subtitleLocalizationKey": "SUBTITLE",
                "subtitleLocalizationArgs": ["1970-01-01T00:00:00.000Z"], "alertActionLocalizationKey": "ACTION",
                "alertLaunchImage": "launch.png", "soundName": "default", "category": "chat",
                "collapseIDKey": .string(long), "contentAvailable": true, "mutableContent": true, "badge": 1,
                "isPruned": false,
            ]
            for (key, value) in shown { #expect(found[key] == value, "\(key)") }
            #expect(found["recordFields"]?["title"]?["value"]?.string == long)
            let cut = JSONValue.string(String(repeating: "x", count: 100))
            #expect(
                found["pushPayload"]?["aps"] == [
                    "alert": [
                        "body": "body", "loc-key": "BODY", "loc-args": [cut, "", "7"], "title": "t",
                        "title-loc-key": "TITLE", "title-loc-args": ["7"], "subtitle": "s",
                        "subtitle-loc-key": "SUBTITLE", "subtitle-loc-args": ["1970-01-01T00:00:00.000Z"],
                        "action-loc-key": "ACTION", "launch-image": "launch.png",
                    ], "sound": "default", "category": "chat", "content-available": 1, "mutable-content": 1,
                    "badge": 1,
                ])
            #expect(found["pushPayload"]?["ck"]?["qry"]?["af"] == ["title": cut, "n": 7])
        }
    }

    @Test func pushPayloadIsLeftOutOnRequest() async throws {
        try await WebBench.run { bench in
            let alice = try await bench.signIn("alice")
            let bob = try await bench.signIn("bob")
            try await bench.register("phone", alice)
            try await bench.subscribe(alice, info: Self.full)
            try await bench.save("r", ["n": ["value": 7]], user: bob)
            var whole = try await bench.changes("phone", alice, ["waitSeconds": 60]).json["notifications"]?[0]?.object
            #expect(whole?["pushPayload"] != nil)
            whole?["pushPayload"] = nil
            for wait in [0, 60] as [JSONValue] {
                let page = try await bench.changes(
                    "phone", alice, ["waitSeconds": wait, "shouldFetchPushPayload": false])
                #expect(page.json["notifications"]?[0]?.object == whole)
            }
            for (text, isThere) in [("false", false), ("true", true)] {
                let query = [("deviceID", "phone"), ("shouldFetchPushPayload", text)]
                var events = EventReader(try await bench.stream(query, user: alice))
                let event = try #require(try await events.next())
                #expect((event.json["pushPayload"] != nil) == isThere)
            }
            expect(
                try await bench.send(
                    "GET", bench.device("notifications/stream"), user: alice,
                    query: [("deviceID", "phone"), ("shouldFetchPushPayload", "no")]), .badRequest)
        }
    }

    @Test(
        arguments: [
            ["titleLocalizationArgs": ["a", "a", "a", "a", "a", "a", "a", "a", "a", "a", "a"]],
            ["alertLocalizationArgs": ["1a"]], ["alertLocalizationArgs": "a"], ["subtitleLocalizationArgs": [1]],
            ["title": 1], ["subtitle": true], ["soundName": ["x"]], ["category": 1.5], ["collapseIDKey": [:]],
            ["shouldSendContentAvailable": 1], ["shouldSendMutableContent": "true"],
            ["desiredKeys": ["a", "b", "c", "d"]],
        ] as [JSONValue])
    func invalidInfoIsABadRequest(info: JSONValue) async throws {
        try await WebBench.run { bench in
            let alice = try await bench.signIn("alice")
            let body = Place("operations[0].subscription.notificationInfo").set(
                info, in: ["operations": [["operationType": "create", "subscription": Endpoint.subscription]]])
            let answer = try await bench.send("POST", bench.database("subscriptions/modify"), body, user: alice)
            let item = try #require(answer.json["subscriptions"]?[0])
            #expect(item["serverErrorCode"] == "BAD_REQUEST")
            #expect(item["reason"]?.string?.contains("notificationInfo") == true)
        }
    }

    /// Every text has an end.
    @Test func textsHaveALimit() async throws {
        try await WebBench.run { bench in
            let alice = try await bench.signIn("alice")
            for (key, value) in Self.full.object! where value.string != nil {
                let body = Place("operations[0].subscription.notificationInfo.\(key)").set(
                    .string(String(repeating: "x", count: Limits.alertCharactersMax + 1)),
                    in: [
                        "operations": [
                            [
                                "operationType": "create",
                                "subscription": Place("notificationInfo").set(Self.full, in: Endpoint.subscription),
                            ]
                        ]
                    ])
                let answer = try await bench.send("POST", bench.database("subscriptions/modify"), body, user: alice)
                #expect(answer.json["subscriptions"]?[0]?["serverErrorCode"] == "BAD_REQUEST", "\(key)")
            }
        }
    }
}
