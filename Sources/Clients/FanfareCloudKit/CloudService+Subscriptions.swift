import CloudJSON
package import CloudModel
package import JSON

extension CloudService {
    /// Applies operations to subscriptions; an item for each.
    /// - Returns: the subscription as it is saved, nil of one that is gone, or why the operation was refused.
    package func modify(
        _ operations: [SubscriptionOperation], in database: DatabaseScope
    ) async throws -> [Result<SubscriptionDraft?, FanfareError>] {
        let body: JSONValue = ["operations": .array(operations.compactMap(SubscriptionOperationJSON.operation))]
        let answer = try await self.database(database, "subscriptions/modify", body)
        return try read(answer) { json throws(CloudError) in
            try json.required("subscriptions").elements(Self.result)
        }
    }

    /// The user's subscriptions in a database.
    package func subscriptions(in database: DatabaseScope) async throws -> [SubscriptionDraft] {
        try read(try await subscriptionsJSON(in: database)) { json throws(CloudError) in
            try json.elements(SubscriptionJSON.read)
        }
    }

    /// Subscriptions of the user's by their IDs; a result for each.
    func subscriptions(
        _ ids: [SubscriptionID], in database: DatabaseScope
    ) async throws -> [Result<SubscriptionDraft, FanfareError>] {
        let body: JSONValue = ["subscriptions": .array(ids.map { ["subscriptionID": .string($0.rawValue)] })]
        let answer = try await self.database(database, "subscriptions/lookup", body)
        let results = try read(answer) { json throws(CloudError) in
            try json.required("subscriptions").elements { item throws(CloudError) in
                if let error = ErrorJSON.read(item.value) {
                    return Result<SubscriptionDraft, FanfareError>.failure(FanfareError(error))
                }
                return .success(try SubscriptionJSON.read(item))
            }
        }
        guard results.count == ids.count else {
            throw FanfareError(
                status: 200, code: nil, reason: "the answer has \(results.count) subscriptions for \(ids.count)")
        }
        return results
    }

    /// The user's subscriptions in a database as the service writes them: an array.
    package func subscriptionsJSON(in database: DatabaseScope) async throws -> JSONValue {
        try await get("database", "\(database)/subscriptions/list")["subscriptions"] ?? []
    }

    /// Asks what a subscription would have fired on, and saves nothing.
    /// - Parameter subscription: the subscription as `subscriptions/modify` takes it.
    /// - Returns: the answer's item as the service writes it; it may be an error.
    package func test(_ subscription: JSONValue, in database: DatabaseScope) async throws -> JSONValue {
        let answer = try await self.database(
            database, "subscriptions/modify",
            ["operations": [["operationType": "test", "subscription": subscription]]])
        return answer["subscriptions"]?[0] ?? .null
    }

    private static func result(_ json: JSONPath) throws(CloudError) -> Result<SubscriptionDraft?, FanfareError> {
        if let error = ErrorJSON.read(json.value) { return .failure(FanfareError(error)) }
        if try json["deleted"]?.bool() == true { return .success(nil) }
        return .success(try SubscriptionJSON.read(json))
    }
}
