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
        var lines = matches.map(change)
        if matched > Int64(matches.count) { lines.insert("… the latest \(matches.count) of \(matched):", at: 0) }
        for miss in item["nearMisses"]?.array ?? [] {
            lines.append("nearly: \(change(miss)), but for \(comparison(miss["failed"] ?? .null))")
        }
        if let record = item["record"] { lines += outcome(record) }
        let cost = "the predicate costs \(item["predicateCost"]?.integer ?? 0)"
        guard item["parseOnly"] != true else { return lines + [cost] }
        lines.append(
            "would have fired on \(matched) of the latest \(item["changesExamined"]?.integer ?? 0) changes; \(cost)")
        return lines
    }

    private static func change(_ match: JSONValue) -> String {
        "\(match["change"]?.string ?? "?")  \(text(match["recordType"]))  \(text(match["recordName"]))  in "
            + text(match["zoneID"]?["zoneName"])
    }

    /// The nodes of the predicate for a record.
    private static func outcome(_ record: JSONValue) -> [String] {
        let name = text(record["recordName"])
        if let code = record["serverErrorCode"]?.string {
            return ["\(name): \(code): \(record["reason"]?.string ?? "")"]
        }
        return ["\(name):"] + (record["predicate"].map { nodes($0, depth: 1) } ?? [])
    }

    private static func nodes(_ node: JSONValue, depth: Int) -> [String] {
        let sign = node["holds"] == true ? "+" : "-"
        let kind = node["node"]?.string ?? "?"
        let words = kind == "comparison" ? comparison(node) : kind
        let mark = node["decides"] == true ? "  (decides)" : ""
        return ["\(String(repeating: "  ", count: depth))\(sign) \(words)\(mark)"]
            + (node["parts"]?.array ?? []).flatMap { nodes($0, depth: depth + 1) }
    }

    private static func comparison(_ json: JSONValue) -> String {
        let field = (json["fieldName"] ?? json["systemFieldName"]).map { text($0) } ?? "self"
        var words = [field, json["relation"]?.string ?? "?"]
        if let operand = json["operand"]?["value"] { words.append(text(operand)) }
        if let distance = json["distance"] { words.append("within \(text(distance)) m") }
        let value = json["value"].map { $0["value"].map { text($0) } ?? "an encrypted value" }
        return words.joined(separator: " ") + ": the record has \(value ?? "no such field")"
    }

    private static func text(_ value: JSONValue?) -> String {
        guard let value, let bytes = try? value.serialized() else { return "-" }
        return String(decoding: bytes, as: UTF8.self)
    }
}
