import CloudModel
import EventLog
import Matching
import Messages
import RecordStore

/// Applies the operations of one request within its transaction.
final class SubscriptionBatch {
    private let transaction: any StoreTransaction
    private let layout: TopicLayout
    private let store: UInt64
    private let schema: SchemaInference
    private let user: UserRecordName
    private let database: DatabaseScope
    private let limit: Int
    private let time: Timestamp

    init(
        transaction: any StoreTransaction, layout: TopicLayout, store: UInt64, schema: SchemaInference,
        user: UserRecordName, database: DatabaseScope, limit: Int, time: Timestamp
    ) {
        self.transaction = transaction
        self.layout = layout
        self.store = store
        self.schema = schema
        self.user = user
        self.database = database
        self.limit = limit
        self.time = time
    }

    func apply(_ operation: SubscriptionOperation) throws -> SubscriptionResult {
        do {
            switch operation {
            case .create(let draft): return .subscription(try create(draft))
            case .update(let draft): return .subscription(try update(draft))
            case .delete(let id): return .deleted(try delete(id))
            }
        } catch let error as CloudError {
            return .failed(operation.id, error)
        }
    }

    /// Saving the same subscription again is harmless: clients re-save with `create` on every launch.
    private func create(_ draft: SubscriptionDraft) throws -> Subscription {
        if let id = draft.id, let existing = try transaction.subscription(key(id)) {
            return try change(existing, to: draft)
        }
        let subscription = try checked(draft, id: draft.id ?? SubscriptionID(trusted: UniqueName.make()))
        let condition = subscription.condition.identity
        for condition in [condition, try encodedAsGiven(draft)] {
            guard let other = try transaction.subscriptionID(of: user, in: database, condition: condition) else {
                continue
            }
            throw CloudError.badRequest(
                "the subscription '\(other)' has the same condition already; this would be a duplicate")
        }
        guard try transaction.subscriptionCount(of: user, in: database) < limit else {
            throw CloudError(
                .quotaExceeded, "a user has at most \(limit) subscriptions in a database; delete some first")
        }
        try know(ConditionShape(subscription.condition))
        let sequence = try transaction.nextSequence()
        try save(SavedSubscription(subscription: subscription, created: sequence, saved: sequence), condition)
        return subscription
    }

    /// Conditions are part of the schema: development learns them, production takes those that were promoted.
    private func know(_ shape: ConditionShape) throws {
        guard layout.scope.environment == .production else { return try transaction.addCondition(shape) }
        guard try transaction.hasCondition(shape) else {
            throw CloudError.badRequest(
                "production does not know a subscription on \(shape); create one in development and promote the schema")
        }
    }

    private func update(_ draft: SubscriptionDraft) throws -> Subscription {
        guard let id = draft.id else { throw CloudError.badRequest("update needs a subscriptionID") }
        guard let existing = try transaction.subscription(key(id)) else {
            throw CloudError(.notFound, "there is no subscription '\(id)'")
        }
        return try change(existing, to: draft)
    }

    /// Changes the notification. All is compared by its encoded bytes, as Swift takes composed and decomposed letters for
    /// the same and matching does not.
    private func change(_ existing: StoredSubscription, to draft: SubscriptionDraft) throws -> Subscription {
        var subscription = try existing.subscription()
        let info = try notificationInfo(of: draft)
        guard try isCondition(existing.condition, of: draft) else {
            throw CloudError.badRequest(
                "the subscription '\(existing.key.id)' watches another condition, which cannot change: delete it and create a new one"
            )
        }
        let present = NotificationInfoMessage(subscription.notificationInfo).encoded()
        guard present != NotificationInfoMessage(info).encoded() else { return subscription }
        try checkSize(ConditionMessage(subscription.condition).encoded(), info)
        try checkFields(of: info, draft.query.recordType)
        subscription.notificationInfo = info
        let sequence = try transaction.nextSequence()
        try supersede(existing.saved, of: existing.key)
        try save(
            SavedSubscription(subscription: subscription, created: existing.created, saved: sequence),
            existing.condition)
        return subscription
    }

    /// Whether a draft asks for a stored condition: as it is given, or with its values turned into the types that the
    /// schema knows. A subscription may have been saved before the first record fixed them.
    private func isCondition(_ stored: [UInt8], of draft: SubscriptionDraft) throws -> Bool {
        if try encodedAsGiven(draft) == stored { return true }
        return try checked(draft, id: SubscriptionID(trusted: "")).condition.identity == stored
    }

    private func encodedAsGiven(_ draft: SubscriptionDraft) throws -> [UInt8] {
        condition(of: draft, try QueryValidator.query(draft.query, types: nil, time: nil)).identity
    }

    private func condition(of draft: SubscriptionDraft, _ query: Query) -> Subscription.Condition {
        Subscription.Condition(query: query, zone: draft.zone, firesOn: draft.firesOn, firesOnce: draft.firesOnce)
    }

    private func key(_ id: SubscriptionID) -> SubscriptionKey {
        SubscriptionKey(user: user, database: database, id: id)
    }

    private func delete(_ id: SubscriptionID) throws -> SubscriptionID {
        let key = key(id)
        guard let existing = try transaction.subscription(key) else {
            throw CloudError(.notFound, "there is no subscription '\(id)'")
        }
        let sequence = try transaction.nextSequence()
        try transaction.deleteSubscription(key, at: sequence)
        try publish(
            sequence, key,
            SubscriptionEvent(deleted: key, at: sequence, created: existing.created, store: store).encoded())
        try supersede(existing.saved, of: key)
        try supersede(sequence, of: key)
        return id
    }

    /// The subscription that a draft asks for, with everything checked that can be without looking at others.
    private func checked(_ draft: SubscriptionDraft, id: SubscriptionID) throws -> Subscription {
        guard database != .shared else {
            throw CloudError.badRequest("query subscriptions are not allowed in the shared database")
        }
        let info = try notificationInfo(of: draft)
        guard !draft.firesOn.isEmpty else {
            throw CloudError.badRequest("firesOn needs at least one of create, update and delete")
        }
        if let zone = draft.zone, zone != .defaultZone {
            throw CloudError(.zoneNotFound, "there is no zone '\(zone)'")
        }
        let condition = condition(of: draft, try query(of: draft))
        try checkSize(ConditionMessage(condition).encoded(), info)
        try checkFields(of: info, draft.query.recordType)
        return Subscription(key: key(id), condition: condition, notificationInfo: info)
    }

    /// What does not fit into a message must not be saved: it would stop the relay for everybody.
    private func checkSize(_ condition: [UInt8], _ info: NotificationInfo) throws(CloudError) {
        let bytes = condition.count + NotificationInfoMessage(info).encoded().count
        guard bytes <= Limits.subscriptionBytesMax else {
            throw CloudError(
                .quotaExceeded,
                "the subscription has \(bytes) bytes; at most \(Limits.subscriptionBytesMax) are allowed")
        }
    }

    /// In development the fields that are named may come later than the subscription.
    private func checkFields(of info: NotificationInfo, _ type: RecordType) throws {
        try NotificationInfoRules.check(
            info, of: type, types: try schema.fieldTypes(of: type),
            isProduction: layout.scope.environment == .production)
    }

    private func notificationInfo(of draft: SubscriptionDraft) throws(CloudError) -> NotificationInfo {
        guard let info = draft.notificationInfo else {
            throw .badRequest("a subscription needs notificationInfo; an empty object will do")
        }
        return info
    }

    /// The query with values of their fields' types. Where the type is unknown in development, any field is taken as it
    /// is: a subscription may come before the first record (design section 12, choice 13).
    private func query(of draft: SubscriptionDraft) throws -> Query {
        let types = try schema.fieldTypes(of: draft.query.recordType)
        if types == nil, layout.scope.environment == .production {
            throw CloudError.badRequest("production does not know the record type \(draft.query.recordType)")
        }
        return try QueryValidator.query(draft.query, types: types, time: nil)
    }

    private func save(_ saved: SavedSubscription, _ condition: [UInt8]) throws {
        let body = SubscriptionEvent(saved: saved, store: store).encoded()
        try transaction.save(
            StoredSubscription(
                key: saved.subscription.key, created: saved.created, saved: saved.saved, condition: condition,
                body: body))
        try publish(saved.saved, saved.subscription.key, body)
    }

    private func publish(_ sequence: Sequence, _ key: SubscriptionKey, _ event: [UInt8]) throws {
        try transaction.append(
            OutboxRow(
                sequence: sequence, destination: .subscriptions, key: layout.subscriptionKey(key, sequence),
                value: event,
                time: time))
    }

    private func supersede(_ sequence: Sequence, of key: SubscriptionKey) throws {
        try transaction.addSuperseded(
            SupersededVersion(sequence: sequence, key: layout.subscriptionKey(key, sequence), time: time))
    }
}
