import Inspection
import JSON
import Testing

/// The lines of a notification for people.
@Suite struct NotificationTextTests {
    private func notification(changed: Int64 = 1_700_000_000_123, _ more: JSONObject = [:]) -> JSONValue {
        var json: JSONObject = [
            "notificationID": "n1", "notificationType": "query", "subscriptionID": "all",
            "queryNotificationReason": "recordCreated", "recordName": "mona", "recordType": "Artwork",
            "zoneID": ["zoneName": "_defaultZone"], "databaseScope": "public", "changed": .integer(changed),
        ]
        for (key, value) in more { json[key] = value }
        return .object(json)
    }

    @Test func aLineHasTimeContentAndSubscription() {
        #expect(
            NotificationText.line(notification())
                == #"2023-11-14T22:13:20.123Z  record created  "Artwork" "mona"  in public/"_defaultZone"  for "all""#)
    }

    @Test func alertBadgeAndFieldsFollow() {
        let line = NotificationText.line(
            notification([
                "alertBody": "new art", "badge": 3,
                "recordFields": [
                    "year": ["value": 1503, "type": "INT64"], "tags": ["value": ["a", "b"], "type": "STRING_LIST"],
                ],
            ]))
        #expect(line.hasSuffix(#"  alert "new art"  badge 3  "year" = 1503  "tags" = ["a","b"]"#))
    }

    @Test func aReadMarkNamesItsNotification() {
        let line = NotificationText.line([
            "notificationID": "n1", "notificationType": "readNotification", "changed": 0,
        ])
        #expect(line == #"1970-01-01T00:00:00.000Z  marked read     "n1""#)
    }

    @Test func omissionsHaveACountAndARemedy() {
        let line = NotificationText.line(notification(["notificationType": "omitted", "omittedCount": 800]))
        #expect(line.hasSuffix("800 more subscriptions fired; fetch what changed"))
    }

    @Test func noRecordSteersTheTerminal() {
        let line = NotificationText.line(
            notification(["recordName": "a\u{1b}[2J\nb\u{9b}c\u{7f}\u{202e}d\u{2028}é", "alertBody": "\r\u{85}"]))
        #expect(line.contains(#""a\u001b[2J\nb\u009bc\u007f\u202ed\u2028é""#))
        #expect(line.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control })
    }

    @Test(arguments: [
        (-1, "1969-12-31T23:59:59.999Z"), (951_782_399_000, "2000-02-28T23:59:59.000Z"),
        (951_782_400_000, "2000-02-29T00:00:00.000Z"), (1_709_251_199_999, "2024-02-29T23:59:59.999Z"),
        (1_735_689_600_000, "2025-01-01T00:00:00.000Z"), (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
    ])
    func timesAreUTC(milliseconds: Int64, text: String) {
        #expect(NotificationText.line(notification(changed: milliseconds)).hasPrefix(text + "  "))
    }
}
