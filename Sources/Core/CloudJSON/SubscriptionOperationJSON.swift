package import CloudModel
package import JSON

/// Operations on subscriptions as JSON: the entries of `subscriptions/modify`.
package enum SubscriptionOperationJSON {
    /// Writes an operation; one that could not be read is nothing to write.
    package static func operation(_ operation: SubscriptionOperation) -> JSONValue? {
        switch operation {
        case .create(let draft): entry("create", SubscriptionJSON.draft(draft))
        case .update(let draft): entry("update", SubscriptionJSON.draft(draft))
        case .test(let draft, let trial): entry("test", SubscriptionJSON.draft(draft), trial)
        case .delete(let id): entry("delete", ["subscriptionID": .string(id.rawValue)])
        case .unreadable: nil
        }
    }

    /// Reads an operation.
    package static func read(_ json: JSONPath) throws(CloudError) -> SubscriptionOperation {
        let type = try json.object().required("operationType")
        let subscription = try json.required("subscription").object()
        switch try type.string() {
        case "create": return .create(try SubscriptionJSON.read(subscription))
        case "update": return .update(try SubscriptionJSON.read(subscription))
        case "test": return .test(try SubscriptionJSON.read(subscription), try trial(json))
        case "delete": return .delete(try subscription.required("subscriptionID").identifier())
        case let other:
            throw .badRequest("\(type.path) is '\(other)'; known operations are create, update, delete and test")
        }
    }

    /// Reads an operation; one that cannot be read is an operation that fails for itself.
    package static func readAlone(_ json: JSONPath) -> SubscriptionOperation {
        do throws(CloudError) {
            return try read(json)
        } catch {
            let id = json.value["subscription"]?["subscriptionID"]?.string
            return .unreadable(id.flatMap { try? SubscriptionID($0) }, error)
        }
    }

    private static func entry(
        _ type: String, _ subscription: JSONValue, _ trial: SubscriptionTrial = SubscriptionTrial()
    ) -> JSONValue {
        var json: JSONObject = ["operationType": .string(type), "subscription": subscription]
        if trial.changesMax != Limits.testChangesMax { json["changesMax"] = .integer(Int64(trial.changesMax)) }
        if trial.isParseOnly { json["parseOnly"] = true }
        if trial.findsNear { json["nearly"] = true }
        if let subject = trial.subject {
            json["record"] = ["recordName": .string(subject.name.rawValue), "zoneID": ZoneJSON.given(subject.zone)]
        }
        return .object(json)
    }

    /// Reads the extent of a test.
    private static func trial(_ json: JSONPath) throws(CloudError) -> SubscriptionTrial {
        var trial = SubscriptionTrial()
        if let given = json["changesMax"] {
            let number = try given.integer()
            guard (1...Int64(Limits.testChangesMax)).contains(number) else {
                throw .badRequest("\(given.path) is 1 to \(Limits.testChangesMax), not \(number)")
            }
            trial.changesMax = Int(number)
        }
        trial.isParseOnly = try json["parseOnly"]?.bool() ?? false
        trial.findsNear = try json["nearly"]?.bool() ?? false
        trial.subject = try json.member("record") { record throws(CloudError) in
            SubscriptionTrial.Subject(
                name: try ReferenceJSON.readName(record),
                zone: try record.member("zoneID", ZoneJSON.readGiven) ?? .default)
        }
        return trial
    }
}
