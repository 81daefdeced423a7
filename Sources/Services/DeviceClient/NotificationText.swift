package import JSON

/// Writes notifications as lines for people.
package enum NotificationText {
    /// One notification, as the device endpoints answer it, in one line: when the change was committed (UTC), what
    /// happened to which record, which subscription it is for, what is shown to the user, the fields that came along.
    ///
    /// Whatever a user can choose stands in quotation marks with control characters escaped, so that no record can
    /// steer the terminal of whoever watches.
    package static func line(_ notification: JSONValue) -> String {
        var words = [time(notification["changed"]?.integer ?? 0)]
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
        words.append("for \(quoted(notification["subscriptionID"]?.string ?? ""))")
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

    /// Milliseconds since 1970 as `2026-11-21T18:03:22.123Z`.
    private static func time(_ milliseconds: Int64) -> String {
        let (days, rest) = quotientAndRemainder(milliseconds, by: 86_400_000)
        let (year, month, day) = date(days)
        let seconds = rest / 1000
        return "\(digits(year, 4))-\(digits(month, 2))-\(digits(day, 2))T\(digits(seconds / 3600, 2)):"
            + "\(digits(seconds / 60 % 60, 2)):\(digits(seconds % 60, 2)).\(digits(rest % 1000, 3))Z"
    }

    /// The civil date of a day since 1970, by eras of 400 years that begin in March, so that leap days come last.
    private static func date(_ daysSince1970: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let (era, day) = quotientAndRemainder(daysSince1970 + 719_468, by: 146_097)
        let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365
        let dayOfYear = day - (365 * year + year / 4 - year / 100)
        let month = (5 * dayOfYear + 2) / 153
        return (
            era * 400 + year + (month < 10 ? 0 : 1), month < 10 ? month + 3 : month - 9,
            dayOfYear - (153 * month + 2) / 5 + 1
        )
    }

    private static func quotientAndRemainder(_ number: Int64, by divisor: Int64) -> (Int64, Int64) {
        let remainder = number % divisor
        return remainder < 0 ? (number / divisor - 1, remainder + divisor) : (number / divisor, remainder)
    }

    private static func digits(_ number: Int64, _ width: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, width - text.count)) + text
    }
}
