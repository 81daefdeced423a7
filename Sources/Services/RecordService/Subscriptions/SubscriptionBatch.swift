import CloudMessages
import CloudModel
import Matching
import ProtocolBuffers
import RecordStore

/// Applies the operations of one request within its transaction.
final class SubscriptionBatch {
    let commit: Commit
    let schema: SchemaInference
    let user: UserRecordName
    let database: DatabaseScope
    let versions: SubscriptionVersions
    /// The superseded versions of the user, once they were counted.
    var superseded: SupersededTotals?
    /// The totals of the user's subscriptions, once they were counted and while they are known.
    var standing: StandingSubscriptions?
    /// True if a subscription of the request begins in the past.
    var hasNewBackfill = false
    let limit: Int
    let predicates: PredicateLanguage
    private let usage: UsageLedger

    init(
        _ commit: Commit, user: UserRecordName, database: DatabaseScope, options: RecordService.Options
    ) {
        self.commit = commit
        self.user = user
        self.database = database
        limit = options.subscriptionsMax
        predicates = options.predicates
        schema = SchemaInference(commit.transaction, environment: commit.layout.scope.environment)
        usage = UsageLedger(commit.transaction, options.quotas)
        versions = SubscriptionVersions(commit: commit)
    }

    var transaction: any StoreTransaction { commit.transaction }
    var layout: TopicLayout { commit.layout }

    func apply(_ operation: SubscriptionOperation) throws -> SubscriptionResult {
        do {
            switch operation {
            case .create(let draft): return .subscription(try create(draft))
            case .update(let draft): return .subscription(try update(draft))
            case .delete(let id): return .deleted(try delete(id))
            case .test(let draft, let trial): return .tested(try test(draft, trial))
            case .unreadable(let id, let error): return .failed(id, error)
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
        var subscription = try checked(draft, id: draft.id ?? SubscriptionID(trusted: UniqueName.make()))
        subscription.backfill = try backfill(of: draft, subscription.condition)
        let condition = subscription.condition.identity
        for condition in [condition, try encodedAsGiven(draft)] {
            guard let other = try transaction.subscriptionID(of: user, in: database, condition: condition) else {
                continue
            }
            throw CloudError.badRequest(
                "the subscription '\(other)' has the same condition already; this would be a duplicate")
        }
        guard try standingSubscriptions().count < limit else {
            throw CloudError.exceeded(
                ExceededLimit("subscriptionsMax", limit, of: .number),
                "a user has at most \(limit) subscriptions in a database; delete some first")
        }
        try checkRoom(for: subscription)
        try checkVersions(more: 0)
        if subscription.backfill != nil { try checkBackfills() }
        let cost = try checkedCost(of: subscription)
        try checkPromoted(subscription.condition)
        if subscription.condition.kind == .query, layout.scope.environment == .development {
            let shape = ConditionShape(subscription.condition)
            if try !transaction.hasCondition(shape) {
                try usage.check(UsageCharge(user, .schemaParts, 1))
                try schema.checkRoomForCondition()
                try schema.define(shape)
                try usage.add(UsageCharge(user, .schemaParts, 1))
            }
        }
        let bytes = try versions.create(subscription, condition: condition)
        try transaction.saveCost(cost, of: subscription.key)
        standing?.add(bytes: bytes, cost: cost)
        if subscription.backfill != nil { hasNewBackfill = true }
        return subscription
    }

    /// Makes all checks of `create` but those against other subscriptions: a saved subscription can be tested, too.
    private func test(_ draft: SubscriptionDraft, _ trial: SubscriptionTrial) throws -> SubscriptionTest {
        let subscription = try checked(draft, id: draft.id ?? SubscriptionID(trusted: ""))
        _ = try backfill(of: draft, subscription.condition)
        try checkPromoted(subscription.condition)
        let predicate = subscription.condition.query.predicate
        var test = SubscriptionTest(subscription: subscription, predicateCost: predicate.cost)
        test.trial = trial
        if subscription.condition.kind == .query,
            let indexes = try transaction.indexes(of: subscription.condition.query.recordType)
        {
            test.indexes = IndexPlanner(indexes: indexes, capabilities: transaction.capabilities).usable(for: predicate)
        }
        return test
    }

    private func update(_ draft: SubscriptionDraft) throws -> Subscription {
        guard let id = draft.id else { throw CloudError.badRequest("update needs a subscriptionID") }
        return try change(try existing(id), to: draft)
    }

    private func delete(_ id: SubscriptionID) throws -> SubscriptionID {
        try versions.delete(try existing(id))
        superseded = nil
        standing = nil
        return id
    }

    private func existing(_ id: SubscriptionID) throws -> StoredSubscription {
        guard let existing = try transaction.subscription(key(id)) else {
            throw CloudError(.notFound, "there is no subscription '\(id)'")
        }
        return existing
    }

    /// Changes the notification. Texts are compared by their encoded bytes, as Swift takes composed and decomposed
    /// letters for equal and matching does not.
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
        try checkSize(subscription.condition, info)
        try checkFields(of: info, for: subscription.condition)
        subscription.notificationInfo = info
        try checkRoom(for: subscription, replacing: existing.body.count)
        if try !versions.isUnseen(existing.saved, of: existing.key) { try checkVersions(more: existing.body.count) }
        let saved = SavedSubscription(
            subscription: subscription, created: existing.created, saved: try transaction.nextSequence())
        try versions.save(saved, condition: existing.condition, replacing: existing)
        standing = nil
        return subscription
    }

    /// Returns true if a draft has the stored condition: as given, or with its values converted to the types of the
    /// schema. A subscription may have been saved before the first record fixed them.
    private func isCondition(_ stored: [UInt8], of draft: SubscriptionDraft) throws -> Bool {
        if try encodedAsGiven(draft) == stored { return true }
        return try checked(draft, id: SubscriptionID(trusted: "")).condition.identity == stored
    }

    func key(_ id: SubscriptionID) -> SubscriptionKey { SubscriptionKey(user: user, database: database, id: id) }
}
