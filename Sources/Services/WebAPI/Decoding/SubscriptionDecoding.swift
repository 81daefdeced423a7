import CloudModel
import JSON
import RecordService

/// Reads the operations of `subscriptions/modify` and the IDs of `subscriptions/lookup`.
enum SubscriptionDecoding {
    static func operations(_ body: JSONPath) throws(CloudError) -> [SubscriptionOperation] {
        var operations: [SubscriptionOperation] = []
        for operation in try body.required("operations").elements() { operations.append(try self.operation(operation)) }
        return operations
    }

    static func ids(_ body: JSONPath) throws(CloudError) -> [SubscriptionID] {
        var ids: [SubscriptionID] = []
        for subscription in try body.required("subscriptions").elements() {
            ids.append(try subscription.object().required("subscriptionID").identifier())
        }
        return ids
    }

    private static func operation(_ json: JSONPath) throws(CloudError) -> SubscriptionOperation {
        let type = try json.object().required("operationType")
        let subscription = try json.required("subscription").object()
        switch try type.string() {
        case "create": return .create(try draft(subscription))
        case "update": return .update(try draft(subscription))
        case "delete": return .delete(try subscription.required("subscriptionID").identifier())
        case let other: throw .badRequest("\(type.path) is '\(other)'; known operations are create, update and delete")
        }
    }

    private static func draft(_ json: JSONPath) throws(CloudError) -> SubscriptionDraft {
        let kind = try json.required("subscriptionType")
        guard try kind.string().lowercased() == "query" else {
            throw .badRequest("\(kind.path) is '\(try kind.string())'; this version knows query subscriptions only")
        }
        return SubscriptionDraft(
            id: try json["subscriptionID"].map { id throws(CloudError) in try id.identifier(SubscriptionID.self) },
            query: try QueryDecoding.query(try json.required("query")), zone: try zone(json),
            firesOn: try firesOn(json),
            firesOnce: try json["firesOnce"]?.bool() ?? false,
            notificationInfo: try json["notificationInfo"].map { info throws(CloudError) in
                try NotificationInfoDecoding.info(info)
            }
        )
    }

    /// `zoneWide` wins over `zoneID`; without both, the subscription is for all zones.
    private static func zone(_ json: JSONPath) throws(CloudError) -> ZoneName? {
        let isZoneWide = try json["zoneWide"]?.bool() ?? false
        guard !isZoneWide, let zone = json["zoneID"] else { return nil }
        return try ZoneDecoding.name(zone)
    }

    private static func firesOn(_ json: JSONPath) throws(CloudError) -> FiringEvents {
        var events: FiringEvents = []
        for element in try json["firesOn"]?.elements() ?? [] {
            let name = try element.string()
            guard let known = FiringEvents.names.first(where: { $0.name == name }) else {
                throw .badRequest("\(element.path) is '\(name)'; it may be create, update or delete")
            }
            events.insert(known.event)
        }
        return events
    }
}
