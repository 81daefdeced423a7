import CloudModel
import FanfareCloudKit
import HTTPClient
import JSON
import TestSupport
import Testing

/// Story S5: what `notificationInfo` asks for, in the feed of a device and in the push payload, over HTTP, on the
/// embedded log and on Kafka.
@Suite struct NotificationInfoStories {
    static let kinds = StorySystem.Kind.available

    private static let full: JSONValue = [
        "alertBody": "plain body", "alertLocalizationKey": "BODY", "alertLocalizationArgs": ["from", "absent", "size"],
        "title": "plain title", "titleLocalizationKey": "TITLE", "titleLocalizationArgs": ["price"],
        "subtitle": "plain subtitle", "subtitleLocalizationKey": "SUBTITLE", "subtitleLocalizationArgs": ["sent"],
        "alertActionLocalizationKey": "ACTION", "alertLaunchImage": "launch.png", "soundName": "bell.caf",
        "category": "letters", "collapseIDKey": "from", "shouldSendContentAvailable": true,
        "shouldSendMutableContent": true, "desiredKeys": ["from", "place", "stamp"], "shouldBadge": true,
    ]

    private static let fields: JSONValue = [
        "from": ["value": "Bob"], "size": ["value": 7], "price": ["value": 0.5], "hidden": ["value": "not asked for"],
        "sent": ["value": 1_795_285_635_013, "type": "TIMESTAMP"],
        "place": ["value": ["latitude": 48.5, "longitude": 9.25], "type": "LOCATION"],
        "stamp": ["value": ["recordName": "penny-black", "action": "NONE"], "type": "REFERENCE"],
    ]

    @Test(
        "S5 the notification carries all that notificationInfo asks for, in the feed and in the push", arguments: kinds)
    func everything(_ kind: StorySystem.Kind) async throws {
        let system = try await StorySystem.shared(kind)
        let alice = try await system.user("alice")
        let phone = try await alice.register("phone")
        let courier = try await StoryCourier(of: alice, in: system)
        try await alice.subscribe("letters", to: "Letter", on: ["create", "update", "delete"], info: Self.full)
        try await alice.save("letter", typed: Self.fields, type: "Letter")
        let note = try #require(try await alice.notifications(phone, atLeast: 1).first)
        let shown: JSONObject = [
            "notificationType": "query", "subscriptionID": "letters", "queryNotificationReason": "recordCreated",
            "recordName": "letter", "recordType": "Letter", "databaseScope": "public",
            "alertBody": "plain body", "alertLocalizationKey": "BODY", "alertLocalizationArgs": ["Bob", "", "7"],
            "title": "plain title", "titleLocalizationKey": "TITLE", "titleLocalizationArgs": ["0.5"],
            "subtitle": "plain subtitle", "subtitleLocalizationKey": "SUBTITLE",
            "subtitleLocalizationArgs": ["2026-11-21T18:27:15.013Z"], "alertActionLocalizationKey": "ACTION",
            "alertLaunchImage": "launch.png", "soundName": "bell.caf", "category": "letters", "collapseIDKey": "Bob",
            "contentAvailable": true, "mutableContent": true, "badge": 1, "isPruned": false,
        ]
        for (key, value) in shown { #expect(note[key] == value, "\(key): \(note[key] ?? .null)") }
        let carried = try #require(note["recordFields"]?.object)
        #expect(Set(carried.map(\.key)) == ["from", "place", "stamp"])
        #expect(note["recordFields"]?["from"] == ["value": "Bob", "type": "STRING"])
        #expect(note["recordFields"]?["place"]?["value"] == ["latitude": 48.5, "longitude": 9.25])
        #expect(note["recordFields"]?["stamp"]?["value"]?["recordName"] == "penny-black")
        let push = try await courier.next()
        #expect(push.json == note["pushPayload"])
        #expect(
            push.json["aps"] == [
                "alert": [
                    "body": "plain body", "loc-key": "BODY", "loc-args": ["Bob", "", "7"], "title": "plain title",
                    "title-loc-key": "TITLE", "title-loc-args": ["0.5"], "subtitle": "plain subtitle",
                    "subtitle-loc-key": "SUBTITLE", "subtitle-loc-args": ["2026-11-21T18:27:15.013Z"],
                    "action-loc-key": "ACTION", "launch-image": "launch.png",
                ], "sound": "bell.caf", "category": "letters", "content-available": 1, "mutable-content": 1, "badge": 1,
            ])
        let details = push.json["ck"]?["qry"]
        #expect(
            details?["fo"] == 1 && details?["rid"] == "letter" && details?["dbs"] == 2 && details?["sid"] == "letters")
        #expect(details?["af"]?["from"] == "Bob" && details?["af"]?["place"]?["latitude"] == 48.5)
        #expect(details?["af"]?["stamp"]?["recordName"] == "penny-black" && details?["af"]?["hidden"] == nil)
        // Values are those of the change: the new ones of an update, the last ones of a deletion.
        try await alice.save("letter", typed: ["from": ["value": "Eve"], "size": ["value": .null]], type: "Letter")
        try await alice.delete(["letter"])
        let later = try await alice.notifications(phone, atLeast: 3).dropFirst()
        #expect(later.map { $0["alertLocalizationArgs"] } == [["Eve", "", ""], ["Eve", "", ""]])
        #expect(later.map { $0["collapseIDKey"] } == ["Eve", "Eve"] && later.map { $0["badge"] } == [2, 3])
        #expect(later.map { $0["pushPayload"]?["ck"]?["qry"]?["fo"] } == [2, 3])
    }

    /// The requested look, its part of the push, and whether users see it.
    private static let appearances: [(info: JSONValue, aps: JSONValue, isVisible: Bool)] = [
        (["shouldSendContentAvailable": true], ["content-available": 1], false),
        ([:], [:], false),
        (["category": "c", "shouldSendMutableContent": true], ["category": "c", "mutable-content": 1], false),
        (["alertBody": "text"], ["alert": "text"], true),
        (
            ["alertLocalizationKey": "KEY", "shouldSendContentAvailable": true],
            ["alert": ["loc-key": "KEY"], "content-available": 1], true
        ),
        (["title": "title"], ["alert": ["title": "title"]], true),
        (["soundName": "default"], ["sound": "default"], true),
        (["shouldBadge": true], ["badge": 1], true),
    ]

    @Test("S5 the priority is medium for what nobody sees and high for what somebody does", arguments: kinds)
    func priorities(_ kind: StorySystem.Kind) async throws {
        let system = try await StorySystem.shared(kind)
        for (index, appearance) in Self.appearances.enumerated() {
            let alice = try await system.user("alice")
            let courier = try await StoryCourier(of: alice, in: system)
            try await alice.subscribe("s", to: "Priority\(index)", info: appearance.info)
            try await alice.save("priority\(index)", typed: ["n": ["value": 1]], type: "Priority\(index)")
            let push = try await courier.next()
            #expect(push.json["aps"] == appearance.aps, "\(appearance.info)")
            #expect(push.response.headers["apns-push-type"] == (appearance.isVisible ? "alert" : "background"))
            #expect(push.response.headers["apns-priority"] == (appearance.isVisible ? "10" : "5"), "\(appearance.info)")
        }
    }

    @Test("S5 zone and database notifications have the requested look and name no record", arguments: kinds)
    func zones(_ kind: StorySystem.Kind) async throws {
        let system = try await StorySystem.shared(kind)
        let alice = try await system.user("alice")
        let phone = try await alice.register("phone")
        let made = try await alice.client.database(
            .private, "zones/modify",
            ["operations": [["operationType": "create", "zone": ["zoneID": ["zoneName": "box"]]]]])
        #expect(made["zones"]?[0]?["serverErrorCode"] == nil, "\(made)")
        let info: JSONValue = ["title": "box", "soundName": "default", "collapseIDKey": "box", "shouldBadge": true]
        let refused: JSONValue = [
            "subscriptionID": "r", "subscriptionType": "zone", "zoneID": ["zoneName": "box"],
            "notificationInfo": ["alertLocalizationArgs": ["n"]],
        ]
        let items = try await alice.modifySubscriptions(
            [
                ("create", refused),
                (
                    "create",
                    [
                        "subscriptionID": "zone", "subscriptionType": "zone", "zoneID": ["zoneName": "box"],
                        "notificationInfo": info,
                    ]
                ),
                ("create", ["subscriptionID": "all", "subscriptionType": "database", "notificationInfo": info]),
            ], in: .private)
        #expect(items.map { $0["serverErrorCode"] } == ["BAD_REQUEST", nil, nil], "\(items)")
        let saved = try await alice.client.database(
            .private, "records/modify",
            [
                "zoneID": ["zoneName": "box"],
                "operations": [
                    [
                        "operationType": "create",
                        "record": ["recordName": "n", "recordType": "Note", "fields": ["n": ["value": 1]]],
                    ]
                ],
            ])
        #expect(saved["records"]?[0]?["serverErrorCode"] == nil, "\(saved)")
        let notes = try await alice.notifications(phone, atLeast: 2)
        #expect(Set(notes.map { $0["notificationType"]?.string }) == ["recordZone", "database"] && notes.count == 2)
        for note in notes {
            #expect(note["title"] == "box" && note["soundName"] == "default" && note["collapseIDKey"] == "box")
            #expect(note["recordName"] == nil && note["recordFields"] == nil && note["databaseScope"] == "private")
            let member = note["notificationType"] == "database" ? "met" : "fet"
            let details = note["pushPayload"]?["ck"]?[member]
            #expect(details?["zid"] == "box" && details?["dbs"] == 1 && details?["sid"] == note["subscriptionID"])
        }
        #expect(notes.map { $0["badge"] } == [1, 2])
    }
}
