import CloudJSON
import CloudModel
import JSON

/// Writes the results of operations on subscriptions.
enum SubscriptionEncoding {
    /// Writes the result of an operation or a lookup.
    /// - Parameter numbersAsStrings: true to write the numbers of records in the answer to a test as strings.
    static func result(_ result: SubscriptionResult, numbersAsStrings: Bool = false) -> JSONValue {
        switch result {
        case .subscription(let subscription): return self.subscription(subscription)
        case .deleted(let id): return ["subscriptionID": .string(id.rawValue), "deleted": true]
        case .tested(let test): return SubscriptionTestJSON.test(test, numbersAsStrings: numbersAsStrings)
        case .failed(let id, let error):
            var item: JSONObject = [:]
            if let id { item["subscriptionID"] = .string(id.rawValue) }
            return .object(ErrorEncoding.item(error, into: item))
        }
    }

    static func subscription(_ subscription: Subscription) -> JSONValue { SubscriptionJSON.subscription(subscription) }
}
