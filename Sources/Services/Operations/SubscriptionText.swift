package import JSON

/// Writes subscriptions and tests of them for people. Texts of users are JSON strings, so that they cannot control an
/// operator's terminal.
package enum SubscriptionText {
    /// A subscription in one line, as `subscriptions/list` answers it.
    package static func line(_ subscription: JSONValue) -> String {
        var words = [text(subscription["subscriptionID"]), subscription["subscriptionType"]?.string ?? "?"]
        if let query = subscription["query"] {
            words.append("on \(text(query["recordType"]))")
            if let filters = query["filterBy"], filters.array?.isEmpty == false {
                words.append("where \(text(filters))")
            }
            if let predicate = query["predicate"] { words.append("where \(text(predicate))") }
        }
        if let type = subscription["recordType"] { words.append("on \(text(type))") }
        if let zone = subscription["zoneID"]?["zoneName"] { words.append("in \(text(zone))") }
        let events = (subscription["firesOn"]?.array ?? []).compactMap(\.string).joined(separator: ", ")
        if !events.isEmpty { words.append("fires on \(events)") }
        if let keys = subscription["changedKeys"] { words.append("if changed: \(text(keys))") }
        if subscription["firesOnce"] == true { words.append("once") }
        return words.joined(separator: "  ")
    }

    /// The answer to a `test`, line by line.
    package static func test(_ item: JSONValue) -> [String] {
        if let code = item["serverErrorCode"]?.string { return ["\(code): \(item["reason"]?.string ?? "")"] }
        let matches = item["matches"]?.array ?? []
        let matched = item["changesMatched"]?.integer ?? 0
        var lines = matches.map { match in
            "\(match["change"]?.string ?? "?")  \(text(match["recordType"]))  \(text(match["recordName"]))  in "
                + text(match["zoneID"]?["zoneName"])
        }
        if matched > Int64(matches.count) { lines.insert("… the latest \(matches.count) of \(matched):", at: 0) }
        lines.append(
            "would have fired on \(matched) of the latest \(item["changesExamined"]?.integer ?? 0) changes; the predicate costs \(item["predicateCost"]?.integer ?? 0)"
        )
        return lines
    }

    private static func text(_ value: JSONValue?) -> String {
        guard let value, let bytes = try? value.serialized() else { return "-" }
        return String(decoding: bytes, as: UTF8.self)
    }
}
