import CloudModel
package import JSON
import TextForms

/// Writes notifications as lines for people.
package enum NotificationText {
    /// One notification of the device endpoints in one line: the time of the commit (UTC), the event and the record,
    /// the subscription, the alert, and the fields.
    ///
    /// Texts of users are in quotation marks with control characters escaped, so that no record can control a terminal.
    package static func line(_ notification: JSONValue) -> String {
        var words = [Timestamp(milliseconds: notification["changed"]?.integer ?? 0).iso8601]
        if notification["notificationType"]?.string == "readNotification" {
            words += ["marked read   ", quoted(notification["notificationID"]?.string ?? "")]
            return words.joined(separator: "  ")
        }
        words.append(happening(notification))
        if let name = notification["recordName"]?.string {
            words.append("\(quoted(notification["recordType"]?.string ?? "")) \(quoted(name))")
        }
        let zone = (notification["zoneID"]?["zoneName"]?.string).map { "/" + quoted($0) } ?? ""
        words.append("in \(notification["databaseScope"]?.string ?? "?")\(zone)")
        if let count = notification["omittedCount"]?.integer {
            words.append("\(count) more subscriptions fired; fetch what changed")
        } else {
            words.append("for \(quoted(notification["subscriptionID"]?.string ?? ""))")
        }
        if let title = notification["title"]?.string { words.append("title \(quoted(title))") }
        if let alert = notification["alertBody"]?.string { words.append("alert \(quoted(alert))") }
        if let badge = notification["badge"]?.integer { words.append("badge \(badge)") }
        for (name, field) in notification["recordFields"]?.object ?? [:] {
            words.append("\(quoted(name)) = \(text(field["value"] ?? .null))")
        }
        return words.joined(separator: "  ")
    }

    private static func happening(_ notification: JSONValue) -> String {
        switch (notification["notificationType"]?.string, notification["queryNotificationReason"]?.string) {
        case ("recordZone", _): "zone changed  "
        case ("database", _): "database changed"
        case (_, "recordCreated"): "record created"
        case (_, "recordUpdated"): "record updated"
        case (_, "recordDeleted"): "record deleted"
        default: "notification  "
        }
    }

    private static func quoted(_ text: String) -> String { self.text(.string(text)) }

    private static func text(_ value: JSONValue) -> String {
        guard let bytes = try? value.serialized() else { return "?" }
        return TerminalText.escaped(String(decoding: bytes, as: UTF8.self))
    }
}
