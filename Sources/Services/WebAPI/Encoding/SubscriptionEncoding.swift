import CloudJSON
import CloudModel
import JSON

/// Writes the results of operations on subscriptions.
enum SubscriptionEncoding {
    static func result(_ result: SubscriptionResult) -> JSONValue {
        switch result {
        case .subscription(let subscription): return self.subscription(subscription)
        case .deleted(let id): return ["subscriptionID": .string(id.rawValue), "deleted": true]
        case .tested(let test): return SubscriptionTestJSON.test(test)
        case .failed(let id, let error):
            var item: JSONObject = [:]
            if let id { item["subscriptionID"] = .string(id.rawValue) }
            return .object(ErrorEncoding.item(error, into: item))
        }
    }

    static func subscription(_ subscription: Subscription) -> JSONValue { SubscriptionJSON.subscription(subscription) }
}
