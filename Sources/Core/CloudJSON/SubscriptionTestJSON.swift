package import CloudModel
package import JSON

/// Tests of subscriptions that are not saved, as JSON: the changes that one would have fired on. Only people read it.
package enum SubscriptionTestJSON {
    /// Writes the answer to a test, the latest changes last.
    /// - Parameter numbersAsStrings: true to write numbers of records and of the predicate as strings.
    package static func test(_ test: SubscriptionTest, numbersAsStrings: Bool = false) -> JSONValue {
        let nodes = PredicateOutcomeJSON(numbersAsStrings: numbersAsStrings)
        var json: JSONObject = [
            "tested": true, "subscription": SubscriptionJSON.subscription(test.subscription),
            "predicateCost": .integer(Int64(test.predicateCost)),
            "predicateCostMax": .integer(Int64(Limits.predicateCostMax)), "indexes": .array(test.indexes.map(index)),
        ]
        if let subject = test.subject { json["record"] = self.subject(subject, nodes) }
        if test.trial.isParseOnly {
            json["parseOnly"] = true
            return .object(json)
        }
        json["changesExamined"] = .integer(Int64(test.examined))
        json["changesLeftOut"] = .integer(Int64(test.leftOut))
        json["changesMatched"] = .integer(Int64(test.matched.count))
        json["matches"] = .array(test.matched.suffix(Limits.testMatchesMax).map { .object(match($0)) })
        if test.trial.findsNear {
            json["changesNear"] = .integer(Int64(test.near.count))
            json["nearMisses"] = .array(
                test.near.suffix(Limits.testMatchesMax).map { miss in
                    var json = match(miss.change)
                    var failed = nodes.comparison(miss.comparison).object ?? [:]
                    if let value = miss.change.matched?.fields[miss.comparison.field] {
                        failed["value"] = nodes.field(value)
                    }
                    json["failed"] = .object(failed)
                    return .object(json)
                })
        }
        return .object(json)
    }

    private static func match(_ change: Change) -> JSONObject {
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
            json["recordChangeTag"] = .string(record.changeTag)
        }
        if let zone = change.affectedZone { json["zoneID"] = ZoneJSON.id(zone) }
        return json
    }

    private static func index(_ used: SubscriptionTest.UsedIndex) -> JSONValue {
        var json = JSONObject()
        FilterJSON.add(used.field, to: &json)
        json["index"] =
            switch used.index {
            case .searchable: "SEARCHABLE"
            case .sortable: "SORTABLE"
            default: "QUERYABLE"
            }
        return .object(json)
    }

    private static func subject(_ subject: SubscriptionTest.Subject, _ nodes: PredicateOutcomeJSON) -> JSONValue {
        switch subject {
        case .traced(let record, let node):
            return [
                "recordName": .string(record.name.rawValue), "recordType": .string(record.type.rawValue),
                "recordChangeTag": .string(record.changeTag), "zoneID": ZoneJSON.id(record.zone),
                "holds": .bool(node.holds), "predicate": nodes.node(node),
            ]
        case .failed(let name, let error):
            var json: JSONObject = ["recordName": .string(name.rawValue)]
            ErrorJSON.add(error, to: &json)
            return .object(json)
        }
    }
}

extension RecordFields {
    /// The value of a field of the record's own; nil for system fields.
    fileprivate subscript(field: FilterField) -> FieldValue? {
        if case .field(let name) = field { self[name] } else { nil }
    }
}
