package import CloudModel
package import JSON

/// Tests of subscriptions that are not saved, as JSON: the changes that one would have fired on. Only people read it.
package enum SubscriptionTestJSON {
    /// Writes the answer to a test, the latest changes last.
    package static func test(_ test: SubscriptionTest) -> JSONValue {
        [
            "tested": true, "subscription": SubscriptionJSON.subscription(test.subscription),
            "predicateCost": .integer(Int64(test.predicateCost)),
            "changesExamined": .integer(Int64(test.examined)),
            "changesLeftOut": .integer(Int64(test.leftOut)),
            "changesMatched": .integer(Int64(test.matched.count)),
            "matches": .array(test.matched.suffix(Limits.testMatchesMax).map(match)),
        ]
    }

    private static func match(_ change: Change) -> JSONValue {
        let name =
            switch change.kind {
            case .created: "Created"
            case .updated: "Updated"
            case .deleted: "Deleted"
            }
        var json: JSONObject = [
            "change": .string((change.matched == nil ? "zone" : "record") + name),
            "changed": .integer(change.committed.milliseconds),
        ]
        if let record = change.matched {
            json["recordName"] = .string(record.name.rawValue)
            json["recordType"] = .string(record.type.rawValue)
        }
        if let zone = change.affectedZone { json["zoneID"] = ZoneJSON.id(zone) }
        return .object(json)
    }
}
