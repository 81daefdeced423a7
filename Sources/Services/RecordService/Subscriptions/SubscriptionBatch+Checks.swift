import CloudMessages
import CloudModel
import Matching
import ProtocolBuffers
import RecordStore

extension SubscriptionBatch {
    /// The subscription that a draft asks for, with everything checked that can be without looking at others.
    func checked(_ draft: SubscriptionDraft, id: SubscriptionID) throws -> Subscription {
        try checkDatabase(of: draft.kind)
        let info = try notificationInfo(of: draft)
        let condition: Subscription.Condition
        switch draft.kind {
        case .query: condition = try queryCondition(of: draft)
        case .zone: condition = .zone(try customZone(of: draft), recordType: try knownType(of: draft))
        case .database: condition = .database(recordType: try knownType(of: draft))
        }
        try checkSize(condition, info)
        try checkFields(of: info, for: condition)
        return Subscription(key: key(id), condition: condition, notificationInfo: info)
    }

    /// The condition without what the schema says of its values.
    func encodedAsGiven(_ draft: SubscriptionDraft) throws -> [UInt8] {
        switch draft.kind {
        case .query:
            let query = try QueryValidator.query(try givenQuery(of: draft), types: nil, time: nil)
            return condition(of: draft, query).identity
        case .zone:
            guard let zone = draft.zone, zone.owner == nil || zone.owner == user else { return [] }
            return Subscription.Condition.zone(zone.name, recordType: draft.recordType).identity
        case .database: return Subscription.Condition.database(recordType: draft.recordType).identity
        }
    }

    /// Conditions of queries are part of the schema: development learns them, production takes promoted ones.
    func checkPromoted(_ condition: Subscription.Condition) throws {
        guard condition.kind == .query, layout.scope.environment == .production else { return }
        let shape = ConditionShape(condition)
        guard try transaction.hasCondition(shape) else {
            throw CloudError.badRequest(
                "production does not know a subscription on \(shape); create one in development and promote the schema")
        }
    }

    /// Allowed databases: docs/cloudkit.md#subscriptions.
    private func checkDatabase(of kind: Subscription.Kind) throws(CloudError) {
        switch (kind, database) {
        case (.query, .shared):
            throw .badRequest(
                "query subscriptions are not allowed in the shared database; a database subscription watches it")
        case (.zone, .public), (.zone, .shared):
            throw .badRequest(
                "zone subscriptions are allowed in the private database only, not in the \(database) one")
        case (.database, .public):
            throw .badRequest(
                "database subscriptions are not allowed in the public database; a query subscription watches it")
        default: break
        }
    }

    private func queryCondition(of draft: SubscriptionDraft) throws -> Subscription.Condition {
        guard !draft.firesOn.isEmpty else {
            throw CloudError.badRequest("firesOn needs at least one of create, update, delete, enter and leave")
        }
        if let zone = draft.zone {
            _ = try RecordService.reach(zone, in: database, for: Caller(user: user), transaction)
        }
        let query = try query(of: draft)
        try RecordService.checkMayBeAsked(query.recordType)
        let cost = query.predicate.cost
        guard cost <= Limits.predicateCostMax else {
            throw CloudError.badRequest(
                "the predicate costs \(cost); at most \(Limits.predicateCostMax) is allowed: use fewer or simpler comparisons"
            )
        }
        try checkChangedKeys(of: draft, query.recordType)
        try checkIndexes(of: query)
        return condition(of: draft, query)
    }

    /// Development gives every field all the indexes its type can have, and a type may come after its subscription.
    private func checkIndexes(of query: Query) throws {
        guard layout.scope.environment == .production, let indexes = try transaction.indexes(of: query.recordType)
        else {
            return
        }
        try IndexRequirements(indexes: indexes).check(watching: query.predicate)
    }

    private func condition(of draft: SubscriptionDraft, _ query: Query) -> Subscription.Condition {
        Subscription.Condition(
            query: query, zone: draft.zone?.name, firesOn: draft.firesOn, firesOnce: draft.firesOnce,
            changedKeys: draft.changedKeys)
    }

    private func checkChangedKeys(of draft: SubscriptionDraft, _ type: RecordType) throws {
        guard !draft.changedKeys.isEmpty else { return }
        guard draft.firesOn.contains(.update) else {
            throw CloudError.badRequest("changedKeys restrict updates: firesOn needs update beside them")
        }
        guard draft.changedKeys.count <= Limits.changedKeysMax else {
            throw CloudError.badRequest(
                "changedKeys names \(draft.changedKeys.count) fields; at most \(Limits.changedKeysMax) are allowed")
        }
        guard let types = try schema.fieldTypes(of: type) else { return }
        for field in draft.changedKeys where types[field] == nil {
            throw CloudError.badRequest("\(type) has no field '\(field)', which changedKeys names")
        }
    }

    private func customZone(of draft: SubscriptionDraft) throws -> ZoneName {
        guard let zone = draft.zone else {
            throw CloudError.badRequest("a zone subscription needs the zoneID of the zone to watch")
        }
        guard zone.name != .defaultZone else {
            throw CloudError.badRequest(
                "zone subscriptions watch custom zones; \(zone.name) is watched by query subscriptions only")
        }
        return try RecordService.reach(zone, in: database, for: Caller(user: user), transaction).id.name
    }

    private func knownType(of draft: SubscriptionDraft) throws -> RecordType? {
        if let type = draft.recordType { try checkKnown(type) }
        return draft.recordType
    }

    private func checkKnown(_ type: RecordType) throws {
        guard layout.scope.environment == .production, try schema.fieldTypes(of: type) == nil else { return }
        throw CloudError.badRequest("production does not know the record type \(type)")
    }

    /// Checks that a subscription fits into a message: otherwise it would stop the relay for everybody.
    func checkSize(_ condition: Subscription.Condition, _ info: NotificationInfo) throws(CloudError) {
        let bytes = Self.bytes(of: condition, info)
        guard bytes <= Limits.subscriptionBytesMax else {
            throw CloudError.exceeded(
                ExceededLimit("subscriptionBytesMax", Limits.subscriptionBytesMax),
                "the subscription has \(bytes) bytes; at most \(Limits.subscriptionBytesMax) are allowed")
        }
    }

    /// Checks that a user's subscriptions go into one answer.
    func checkRoom(for subscription: Subscription, replacing replaced: Int = 0) throws {
        let bytes = Self.bytes(of: subscription.condition, subscription.notificationInfo)
        let others = try standingSubscriptions().bytes - replaced
        let room = max(limit * Limits.subscriptionBytesMean, Limits.subscriptionBytesMax)
        guard others + bytes <= room else {
            throw CloudError.exceeded(
                ExceededLimit("subscriptionBytesOfUserMax", room, of: .number),
                "all subscriptions of a user in a database have at most \(room) bytes together, and this one would be "
                    + "\(bytes) more than \(others); delete some first")
        }
    }

    /// The bytes of a subscription, as encoded for the log.
    private static func bytes(of condition: Subscription.Condition, _ info: NotificationInfo) -> Int {
        ConditionMessage(condition).encoded().count + NotificationInfoMessage(info).encoded().count
    }

    /// Checks the fields that are named; in development they may come later than the subscription.
    func checkFields(of info: NotificationInfo, for condition: Subscription.Condition) throws {
        guard condition.kind == .query else {
            guard info.additionalFields.isEmpty, info.appearance.argumentFields.isEmpty else {
                throw CloudError.badRequest(
                    "additionalFields and localization arguments are for query subscriptions only: the notifications of others name a zone"
                )
            }
            return
        }
        let type = condition.query.recordType
        try NotificationInfoRules.check(
            info, of: type, types: try schema.fieldTypes(of: type),
            isProduction: layout.scope.environment == .production)
    }

    func notificationInfo(of draft: SubscriptionDraft) throws(CloudError) -> NotificationInfo {
        guard let info = draft.notificationInfo else {
            throw .badRequest("a subscription needs notificationInfo; an empty object will do")
        }
        return info
    }

    private func givenQuery(of draft: SubscriptionDraft) throws(CloudError) -> GivenQuery {
        guard let query = draft.query else { throw .badRequest("a query subscription needs a query") }
        return query
    }

    /// The query with values of their fields' types. If the type is unknown in development, any field is accepted: a
    /// subscription may come before the first record (docs/choices.md, 13).
    private func query(of draft: SubscriptionDraft) throws -> Query {
        let given = try givenQuery(of: draft)
        try checkKnown(given.recordType)
        return try QueryValidator.query(
            given, types: try schema.fieldTypes(of: given.recordType), time: nil, allows: predicates)
    }
}
