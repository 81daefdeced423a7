import CloudModel
package import JSON

/// Writes notifications as lines for people.
package enum NotificationText {
    /// One notification, as the device endpoints answer it, in one line: when the change was committed (UTC), what
    /// happened to which record, which subscription it is for, what is shown to the user, the fields that came along.
    ///
    /// Whatever a user can choose stands in quotation marks with control characters escaped, so that no record can
    /// steer the terminal of whoever watches.
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

    /// JSON, with those control characters escaped too that JSON allows: DEL, C1 and what turns the writing direction.
    private static func text(_ value: JSONValue) -> String {
        guard let bytes = try? value.serialized() else { return "?" }
        var result = ""
        for scalar in String(decoding: bytes, as: UTF8.self).unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator:
                result += "\\u{\(String(scalar.value, radix: 16))}"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
