package import CloudModel
package import JSON

/// `notificationInfo` of subscriptions as JSON: reads the REST names and the native ones (docs/choices.md, 21).
package enum NotificationInfoJSON {
    /// Writes it as `subscriptions/modify` takes it.
    package static func info(_ info: NotificationInfo) -> JSONValue {
        var json: JSONObject = [:]
        AppearanceJSON.add(info.appearance.map(\.rawValue), to: &json, flags: .subscription)
        if !info.additionalFields.isEmpty {
            json["additionalFields"] = .array(info.additionalFields.map { .string($0.rawValue) })
        }
        json["shouldBadge"] = .bool(info.shouldBadge)
        if let policy = info.policy { json["deliveryPolicy"] = DeliveryPolicyJSON.policy(policy) }
        return .object(json)
    }

    /// Reads it.
    package static func read(_ json: JSONPath) throws(CloudError) -> NotificationInfo {
        let json = try json.object()
        let appearance = try AppearanceJSON.read(json, flags: .subscription, argument: name)
        let fields = try AppearanceJSON.fields(
            json["additionalFields"] ?? json["desiredKeys"], atMost: Limits.additionalFieldsMax, name)
        return NotificationInfo(
            additionalFields: fields, shouldBadge: try AppearanceJSON.flag(json, "shouldBadge"), appearance: appearance,
            policy: try json.member("deliveryPolicy", DeliveryPolicyJSON.read))
    }

    private static func name(_ json: JSONPath) throws(CloudError) -> FieldName { try json.identifier() }
}
