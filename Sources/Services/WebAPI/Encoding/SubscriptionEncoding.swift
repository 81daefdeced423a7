import CloudModel
import DeviceClient
import JSON
import RecordService

/// Writes subscriptions as CloudKit's subscription dictionaries.
enum SubscriptionEncoding {
    static func result(_ result: SubscriptionResult) -> JSONValue {
        switch result {
        case .subscription(let subscription): return self.subscription(subscription)
        case .deleted(let id): return ["subscriptionID": .string(id.rawValue), "deleted": true]
        case .tested(let test): return self.test(test)
        case .failed(let id, let error):
            var item: JSONObject = [:]
            if let id { item["subscriptionID"] = .string(id.rawValue) }
            return .object(ErrorEncoding.item(error, into: item))
        }
    }

    static func subscription(_ subscription: Subscription) -> JSONValue {
        let condition = subscription.condition
        var json: JSONObject = [:]
        let id = subscription.key.id.rawValue
        if !id.isEmpty { json["subscriptionID"] = .string(id) }
        switch condition.kind {
        case .query:
            json["subscriptionType"] = "query"
            json["query"] = query(condition.query)
            json["firesOn"] = .array(
                FiringEvents.names.filter { condition.firesOn.contains($0.event) }.map { .string($0.name) })
            json["firesOnce"] = .bool(condition.firesOnce)
            if !condition.changedKeys.isEmpty {
                json["changedKeys"] = .array(condition.changedKeys.map { .string($0.rawValue) })
            }
            json["zoneWide"] = .bool(condition.zone == nil)
        case .zone: json["subscriptionType"] = "zone"
        case .database: json["subscriptionType"] = "database"
        }
        if condition.kind != .query, let type = condition.recordType { json["recordType"] = .string(type.rawValue) }
        json["notificationInfo"] = NotificationInfoEncoding.info(subscription.notificationInfo)
        if let zone = condition.zone { json["zoneID"] = ["zoneName": .string(zone.rawValue)] }
        return .object(json)
    }

    /// What a subscription would have fired on, the latest last.
    private static func test(_ test: SubscriptionTest) -> JSONValue {
        [
            "tested": true, "subscription": subscription(test.subscription),
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
        if let zone = change.affectedZone { json["zoneID"] = FieldJSON.zone(zone) }
        return .object(json)
    }

    private static func query(_ query: Query) -> JSONValue {
        var json: JSONObject = [
            "recordType": .string(query.recordType.rawValue), "filterBy": .array(query.filters.map(filter)),
        ]
        if let written = query.written {
            json["predicate"] = .string(written.text)
            if let arguments = written.argumentsJSON {
                // It was written by the reader of the request; a text that is none any more is left out.
                json["predicateArguments"] = try? JSONValue(parsing: Array(arguments.utf8))
            }
        }
        return .object(json)
    }

    private static func filter(_ filter: Filter) -> JSONValue {
        var json: JSONObject = ["comparator": .string(filter.comparator.description)]
        switch filter.field {
        case .field(let name): json["fieldName"] = .string(name.rawValue)
        case .system(let field): json["systemFieldName"] = .string(field.description)
        case .searchableTexts: break
        }
        switch filter.operand {
        case .value(let value): json["fieldValue"] = FieldJSON().field(value)
        case .values(let values, let type):
            json["fieldValue"] = [
                "type": .string("\(type)_LIST"), "value": .array(values.map { FieldJSON().value($0) }),
            ]
        }
        if let distance = filter.distance {
            json["distance"] = Int64(exactly: distance).map { .integer($0) } ?? .double(distance)
        }
        return .object(json)
    }
}
