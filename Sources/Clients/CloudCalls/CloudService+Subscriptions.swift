import CloudJSON
package import CloudModel
package import JSON

extension CloudService {
    /// Applies operations to subscriptions.
    /// - Returns: for each operation the saved subscription, nil for a deleted one, or the error.
    package func modify(
        _ operations: [SubscriptionOperation], in database: DatabaseScope
    ) async throws -> [Result<SubscriptionDraft?, FanfareError>] {
        try await divided(operations) { operations in
            let body: JSONValue = ["operations": .array(operations.compactMap(SubscriptionOperationJSON.operation))]
            let answer = try await self.database(database, "subscriptions/modify", body)
            return try read(answer) { json throws(CloudError) in
                try json.required("subscriptions").elements(Self.result)
            }
        }
    }

    /// The user's subscriptions in a database.
    package func subscriptions(in database: DatabaseScope) async throws -> [SubscriptionDraft] {
        try read(try await subscriptionsJSON(in: database)) { json throws(CloudError) in
            try json.elements(SubscriptionJSON.read)
        }
    }

    /// Returns subscriptions of the user by ID, one result for each.
    package func subscriptions(
        _ ids: [SubscriptionID], in database: DatabaseScope
    ) async throws -> [Result<SubscriptionDraft, FanfareError>] {
        try await divided(ids) { try await lookUp($0, in: database) }
    }

    private func lookUp(
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

    /// The user's subscriptions in a database as the service's JSON: an array.
    package func subscriptionsJSON(in database: DatabaseScope) async throws -> JSONValue {
        try await get("database", "\(database)/subscriptions/list")["subscriptions"] ?? []
    }

    /// Dry run: returns the past changes on which a subscription would have fired. Saves nothing.
    /// - Parameters:
    ///   - subscription: the subscription as `subscriptions/modify` takes it.
    ///   - members: what the operation has beside it, such as `changesMax`.
    /// - Returns: the item of the answer as the service's JSON; it may be an error.
    package func test(
        _ subscription: JSONValue, with members: JSONObject = [:], in database: DatabaseScope
    ) async throws -> JSONValue {
        var operation = members
        operation["operationType"] = "test"
        operation["subscription"] = subscription
        let answer = try await self.database(
            database, "subscriptions/modify", ["operations": [.object(operation)]])
        return answer["subscriptions"]?[0] ?? .null
    }

    private static func result(_ json: JSONPath) throws(CloudError) -> Result<SubscriptionDraft?, FanfareError> {
        if let error = ErrorJSON.read(json.value) { return .failure(FanfareError(error)) }
        if try json["deleted"]?.bool() == true { return .success(nil) }
        return .success(try SubscriptionJSON.read(json))
    }
}
