package import CloudModel
package import JSON

/// Operations on subscriptions as JSON: the entries of `subscriptions/modify`.
package enum SubscriptionOperationJSON {
    /// Writes an operation; one that could not be read is nothing to write.
    package static func operation(_ operation: SubscriptionOperation) -> JSONValue? {
        switch operation {
        case .create(let draft): entry("create", SubscriptionJSON.draft(draft))
        case .update(let draft): entry("update", SubscriptionJSON.draft(draft))
        case .test(let draft): entry("test", SubscriptionJSON.draft(draft))
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
        case "test": return .test(try SubscriptionJSON.read(subscription))
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

    private static func entry(_ type: String, _ subscription: JSONValue) -> JSONValue {
        ["operationType": .string(type), "subscription": subscription]
    }
}
