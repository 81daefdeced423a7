import CloudJSON
import CloudModel

/// Reads what requests say of subscriptions.
enum SubscriptionDecoding {
    /// The operations of `subscriptions/modify`. Each fails by itself if it cannot be read.
    static func operations(_ body: JSONPath) throws(CloudError) -> [SubscriptionOperation] {
        try body.required("operations").elements().map(SubscriptionOperationJSON.readAlone)
    }

    /// The IDs of `subscriptions/lookup`.
    static func ids(_ body: JSONPath) throws(CloudError) -> [SubscriptionID] {
        try body.required("subscriptions").elements { subscription throws(CloudError) in
            try subscription.object().required("subscriptionID").identifier()
        }
    }
}
