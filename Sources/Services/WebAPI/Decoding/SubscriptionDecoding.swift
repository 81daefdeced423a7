import CloudModel
import JSON
import RecordService

/// Reads the operations of `subscriptions/modify` and the IDs of `subscriptions/lookup`.
enum SubscriptionDecoding {
    /// Each operation stands alone: one that cannot be read fails for itself.
    static func operations(_ body: JSONPath) throws(CloudError) -> [SubscriptionOperation] {
        try body.required("operations").elements().map { json in
            do throws(CloudError) {
                return try operation(json)
            } catch {
                return .unreadable(json.value["subscription"]?["subscriptionID"]?.string.flatMap(id), error)
            }
        }
    }

    private static func id(_ text: String) -> SubscriptionID? { try? SubscriptionID(text) }

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
        case "test": return .test(try draft(subscription))
        case "delete": return .delete(try subscription.required("subscriptionID").identifier())
        case let other:
            throw .badRequest("\(type.path) is '\(other)'; known operations are create, update, delete and test")
        }
    }

    private static func draft(_ json: JSONPath) throws(CloudError) -> SubscriptionDraft {
        let id = try json["subscriptionID"].map { id throws(CloudError) in try id.identifier(SubscriptionID.self) }
        let info = try json["notificationInfo"].map { info throws(CloudError) in try notificationInfo(info) }
        let type = try json.required("subscriptionType")
        switch try type.string().lowercased() {
        case "query": return try queryDraft(json, id, info)
        case "zone", "recordzone", "record_zone":
            try refuseMembersOfQueries(json)
            let recordType = try recordType(json)
            // How clients ask for a database subscription that know no such type (spec section 5.3).
            if json["zoneID"] == nil, try json["zoneWide"]?.bool() == true {
                return .database(id: id, recordType: recordType, notificationInfo: info)
            }
            return .zone(
                id: id, zone: try json["zoneID"].map { zone throws(CloudError) in try ZoneDecoding.given(zone) },
                recordType: recordType, notificationInfo: info)
        case "database":
            try refuseMembersOfQueries(json)
            guard json["zoneID"] == nil else {
                throw .badRequest("\(json.path).zoneID: a database subscription watches all custom zones, not one")
            }
            return .database(id: id, recordType: try recordType(json), notificationInfo: info)
        case let other: throw .badRequest("\(type.path) is '\(other)'; known types are query, zone and database")
        }
    }

    private static func queryDraft(
        _ json: JSONPath, _ id: SubscriptionID?, _ info: NotificationInfo?
    ) throws(CloudError) -> SubscriptionDraft {
        if let type = json["recordType"] {
            throw .badRequest("\(type.path): the recordType of a query subscription stands in its query")
        }
        var changedKeys: [FieldName] = []
        for key in try json["changedKeys"]?.elements() ?? [] { changedKeys.append(try key.identifier()) }
        return SubscriptionDraft(
            id: id, query: try QueryDecoding.query(try json.required("query")), zone: try zone(json),
            firesOn: try firesOn(json), firesOnce: try json["firesOnce"]?.bool() ?? false, changedKeys: changedKeys,
            notificationInfo: info)
    }

    private static func recordType(_ json: JSONPath) throws(CloudError) -> RecordType? {
        try json["recordType"].map { type throws(CloudError) in try type.identifier(RecordType.self) }
    }

    /// What the other kinds would not do is refused, so that nobody waits for it.
    private static func refuseMembersOfQueries(_ json: JSONPath) throws(CloudError) {
        for name in ["query", "firesOn", "firesOnce", "changedKeys"] {
            guard let member = json[name], member.value != false, member.value.array?.isEmpty != true else { continue }
            throw .badRequest(
                "\(member.path) is for query subscriptions; others fire on all changes, or on those of a recordType")
        }
    }

    /// `zoneWide` wins over `zoneID`; without both, the subscription is for all zones.
    private static func zone(_ json: JSONPath) throws(CloudError) -> GivenZone? {
        let isZoneWide = try json["zoneWide"]?.bool() ?? false
        guard !isZoneWide, let zone = json["zoneID"] else { return nil }
        return try ZoneDecoding.given(zone)
    }

    private static func firesOn(_ json: JSONPath) throws(CloudError) -> FiringEvents {
        var events: FiringEvents = []
        for element in try json["firesOn"]?.elements() ?? [] {
            let name = try element.string()
            guard let known = FiringEvents.names.first(where: { $0.name == name }) else {
                let names = FiringEvents.names.map(\.name).joined(separator: ", ")
                throw .badRequest("\(element.path) is '\(name)'; it may be one of \(names)")
            }
            events.insert(known.event)
        }
        return events
    }

    /// What this version does not deliver is refused, so that nobody waits for it.
    private static let later: Set<String> = [
        "alertLocalizationKey", "alertLocalizationArgs", "title", "titleLocalizationKey", "titleLocalizationArgs",
        "subtitle", "subtitleLocalizationKey", "subtitleLocalizationArgs", "alertActionLocalizationKey",
        "alertLaunchImage", "soundName", "category", "shouldSendContentAvailable", "shouldSendMutableContent",
        "collapseIDKey",
    ]

    private static func notificationInfo(_ json: JSONPath) throws(CloudError) -> NotificationInfo {
        for (key, value) in try json.members() where later.contains(key) && !value.value.isNull && value.value != false
        {
            throw .badRequest(
                "\(value.path) is not supported by this version; alertBody, additionalFields and shouldBadge are")
        }
        let alertBody = try json["alertBody"].map { text throws(CloudError) in try text.string() }
        guard alertBody?.unicodeScalars.count ?? 0 <= Limits.alertCharactersMax else {
            throw .badRequest("\(json.path).alertBody has more than \(Limits.alertCharactersMax) characters")
        }
        var fields: [FieldName] = []
        for field in try (json["additionalFields"] ?? json["desiredKeys"])?.elements() ?? [] {
            fields.append(try field.identifier())
        }
        guard fields.count <= Limits.additionalFieldsMax else {
            throw .badRequest(
                "\(json.path).additionalFields names \(fields.count) fields; at most \(Limits.additionalFieldsMax) are allowed"
            )
        }
        return NotificationInfo(
            alertBody: alertBody, additionalFields: fields, shouldBadge: try json["shouldBadge"]?.bool() ?? false)
    }
}
