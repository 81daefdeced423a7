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
        let subscription = try checked(draft, id: draft.id ?? SubscriptionID(trusted: UniqueName.make()))
        if let existing = try transaction.subscription(subscription.key) {
            return try change(existing, to: subscription)
        }
        let condition = ConditionMessage(subscription.condition).encoded()
        if let other = try transaction.subscriptionID(of: user, in: database, condition: condition) {
            throw CloudError.badRequest(
                "the subscription '\(other)' has the same condition already; this would be a duplicate")
        }
        guard try transaction.subscriptionCount(of: user, in: database) < limit else {
            throw CloudError(
                .quotaExceeded, "a user has at most \(limit) subscriptions in a database; delete some first")
        }
        let sequence = try transaction.nextSequence()
        try save(SavedSubscription(subscription: subscription, created: sequence, saved: sequence), condition)
        return subscription
    }

    private func update(_ draft: SubscriptionDraft) throws -> Subscription {
        guard let id = draft.id else { throw CloudError.badRequest("update needs a subscriptionID") }
        let subscription = try checked(draft, id: id)
        guard let existing = try transaction.subscription(subscription.key) else {
            throw CloudError(.notFound, "there is no subscription '\(id)'")
        }
        return try change(existing, to: subscription)
    }

    private func change(_ existing: StoredSubscription, to subscription: Subscription) throws -> Subscription {
        let present = try existing.subscription()
        guard present.condition == subscription.condition else {
            throw CloudError.badRequest(
                "the subscription '\(existing.key.id)' watches another condition, which cannot change: delete it and create a new one"
            )
        }
        guard present.notificationInfo != subscription.notificationInfo else { return present }
        let sequence = try transaction.nextSequence()
        try supersede(existing.saved, of: existing.key)
        try save(
            SavedSubscription(subscription: subscription, created: existing.created, saved: sequence),
            existing.condition)
        return subscription
    }

    private func delete(_ id: SubscriptionID) throws -> SubscriptionID {
        let key = SubscriptionKey(user: user, database: database, id: id)
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
        guard let info = draft.notificationInfo else {
            throw CloudError.badRequest("a subscription needs notificationInfo; an empty object will do")
        }
        guard !draft.firesOn.isEmpty else {
            throw CloudError.badRequest("firesOn needs at least one of create, update and delete")
        }
        if let zone = draft.zone, zone != .defaultZone {
            throw CloudError(.zoneNotFound, "there is no zone '\(zone)'")
        }
        let query = Query(recordType: draft.recordType, filters: try filters(of: draft))
        try FilterValidator.validate(query)
        return Subscription(
            key: SubscriptionKey(user: user, database: database, id: id),
            condition: Subscription.Condition(
                query: query, zone: draft.zone, firesOn: draft.firesOn, firesOnce: draft.firesOnce),
            notificationInfo: info)
    }

    /// The filters with values of their fields' types. Where the type is unknown in development, any field is taken as
    /// it is: a subscription may come before the first record (design section 12, choice 13).
    private func filters(of draft: SubscriptionDraft) throws -> [Filter] {
        let types = try schema.fieldTypes(of: draft.recordType)
        if types == nil, layout.scope.environment == .production {
            throw CloudError.badRequest("production does not know the record type \(draft.recordType)")
        }
        return try draft.filters.map { given in
            let known: FieldType?
            switch given.field {
            case .system(let field): known = field.type
            case .field(let name):
                known = types?[name]
                if types != nil, known == nil {
                    throw CloudError.badRequest("\(draft.recordType) has no field '\(name)'")
                }
            }
            guard let known else { return given.filter }
            let filter = given.filter(fieldType: known)
            try FilterValidator.validate(filter, fieldType: known)
            return filter
        }
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
