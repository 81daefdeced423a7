package import CloudModel
package import JSON

/// Subscriptions as CloudKit's subscription dictionaries.
package enum SubscriptionJSON {
    /// Writes a saved subscription.
    package static func subscription(_ subscription: Subscription) -> JSONValue {
        let condition = subscription.condition
        var json: JSONObject = [:]
        let id = subscription.key.id.rawValue
        if !id.isEmpty { json["subscriptionID"] = .string(id) }
        switch condition.kind {
        case .query:
            json["subscriptionType"] = "query"
            json["query"] = QueryJSON.query(condition.query)
            json["firesOn"] = names(condition.firesOn)
            json["firesOnce"] = .bool(condition.firesOnce)
            if !condition.changedKeys.isEmpty {
                json["changedKeys"] = .array(condition.changedKeys.map { .string($0.rawValue) })
            }
            json["zoneWide"] = .bool(condition.zone == nil)
        case .zone: json["subscriptionType"] = "zone"
        case .database: json["subscriptionType"] = "database"
        }
        if condition.kind != .query, let type = condition.recordType { json["recordType"] = .string(type.rawValue) }
        json["notificationInfo"] = NotificationInfoJSON.info(subscription.notificationInfo)
        if let zone = condition.zone { json["zoneID"] = ["zoneName": .string(zone.rawValue)] }
        if let backfill = subscription.backfill { json["startingFrom"] = .integer(backfill.from.milliseconds) }
        return .object(json)
    }

    /// Writes a subscription as a request gives it.
    package static func draft(_ draft: SubscriptionDraft) -> JSONValue {
        var json: JSONObject = [:]
        if let id = draft.id { json["subscriptionID"] = .string(id.rawValue) }
        switch draft.kind {
        case .query:
            json["subscriptionType"] = "query"
            if let query = draft.query { json["query"] = QueryJSON.given(query) }
            json["firesOn"] = names(draft.firesOn)
            json["firesOnce"] = .bool(draft.firesOnce)
            if !draft.changedKeys.isEmpty {
                json["changedKeys"] = .array(draft.changedKeys.map { .string($0.rawValue) })
            }
        case .zone: json["subscriptionType"] = "zone"
        case .database: json["subscriptionType"] = "database"
        }
        if let type = draft.recordType { json["recordType"] = .string(type.rawValue) }
        if let info = draft.notificationInfo { json["notificationInfo"] = NotificationInfoJSON.info(info) }
        if let zone = draft.zone { json["zoneID"] = ZoneJSON.given(zone) }
        switch draft.startingFrom {
        case .now: break
        case .time(let time): json["startingFrom"] = .integer(time.milliseconds)
        case .changeToken(let token): json["startingFrom"] = .string(token)
        case .query(_, let time): json["startingFrom"] = .integer(time.milliseconds)
        }
        return .object(json)
    }

    /// Reads a subscription as a request gives it, or as a service answers it.
    package static func read(_ json: JSONPath) throws(CloudError) -> SubscriptionDraft {
        var draft = try readWatched(json)
        draft.startingFrom = try json.member("startingFrom", startingFrom) ?? .now
        return draft
    }

    /// `now`, a time in milliseconds since 1970, or a change token.
    private static func startingFrom(_ json: JSONPath) throws(CloudError) -> StartingFrom {
        guard let text = json.value.string else {
            let time = try json.integer()
            guard time >= 0 else { throw .badRequest("\(json.path) is \(time), which is before 1970") }
            return .time(Timestamp(milliseconds: time))
        }
        guard !text.isEmpty else { throw json.wrong("now, a time in milliseconds since 1970, or a change token") }
        return text == "now" ? .now : .changeToken(text)
    }

    private static func readWatched(_ json: JSONPath) throws(CloudError) -> SubscriptionDraft {
        let id = try json["subscriptionID"]?.identifier(SubscriptionID.self)
        let info = try json.member("notificationInfo", NotificationInfoJSON.read)
        let type = try json.required("subscriptionType")
        switch try type.string().lowercased() {
        case "query": return try readQuery(json, id, info)
        case "zone", "recordzone", "record_zone":
            try refuseMembersOfQueries(json)
            let recordType = try json["recordType"]?.identifier(RecordType.self)
            // How clients ask for a database subscription that know no such type (docs/cloudkit.md#dictionaries).
            if json["zoneID"] == nil, try json["zoneWide"]?.bool() == true {
                return .database(id: id, recordType: recordType, notificationInfo: info)
            }
            return .zone(
                id: id, zone: try json.member("zoneID", ZoneJSON.readGiven), recordType: recordType,
                notificationInfo: info)
        case "database":
            try refuseMembersOfQueries(json)
            guard json["zoneID"] == nil else {
                throw .badRequest("\(json.path).zoneID: a database subscription watches all custom zones, not one")
            }
            return .database(
                id: id, recordType: try json["recordType"]?.identifier(RecordType.self), notificationInfo: info)
        case let other: throw .badRequest("\(type.path) is '\(other)'; known types are query, zone and database")
        }
    }

    private static func readQuery(
        _ json: JSONPath, _ id: SubscriptionID?, _ info: NotificationInfo?
    ) throws(CloudError) -> SubscriptionDraft {
        if let type = json["recordType"] {
            throw .badRequest("\(type.path): the recordType of a query subscription belongs into its query")
        }
        let changedKeys = try json["changedKeys"]?.identifiers(FieldName.self) ?? []
        return SubscriptionDraft(
            id: id, query: try QueryJSON.read(try json.required("query")), zone: try zone(json),
            firesOn: try firesOn(json), firesOnce: try json["firesOnce"]?.bool() ?? false, changedKeys: changedKeys,
            notificationInfo: info)
    }

    /// Refuses what the other kinds would not do, so that nobody waits for it.
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
        return try ZoneJSON.readGiven(zone)
    }

    private static func names(_ events: FiringEvents) -> JSONValue {
        .array(FiringEvents.names.filter { events.contains($0.event) }.map { .string($0.name) })
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
}
