import CloudModel

/// A saved subscription, compared by the draft that it was made of: the typed tree of a predicate is read in
/// `Matching`, and its text compared here.
struct ComparedSubscription: Equatable {
    let subscription: Subscription
    private let draft: SubscriptionDraft

    init(_ subscription: Subscription) {
        self.subscription = subscription
        var draft = Self.draft(subscription)
        draft.startingFrom = subscription.backfill.map { .time($0.from) } ?? .now
        self.draft = draft
    }

    init(reading draft: SubscriptionDraft) {
        subscription = Subscription(
            key: SubscriptionKey(
                user: .defaultOwner, database: .private, id: draft.id ?? SubscriptionID(trusted: "")),
            condition: .database(), notificationInfo: NotificationInfo())
        self.draft = draft
    }

    static func == (left: ComparedSubscription, right: ComparedSubscription) -> Bool { left.draft == right.draft }

    private static func draft(_ subscription: Subscription) -> SubscriptionDraft {
        let condition = subscription.condition
        let id = subscription.key.id
        let zone = condition.zone.map { GivenZone(name: $0) }
        switch condition.kind {
        case .query:
            let query = GivenQuery(
                recordType: condition.query.recordType, filters: condition.query.filters.map(given),
                predicate: condition.query.written.map { GivenPredicate(text: $0.text) })
            return SubscriptionDraft(
                id: id, query: query, zone: zone, firesOn: condition.firesOn, firesOnce: condition.firesOnce,
                changedKeys: condition.changedKeys, notificationInfo: subscription.notificationInfo)
        case .zone:
            return .zone(
                id: id, zone: zone, recordType: condition.recordType, notificationInfo: subscription.notificationInfo)
        case .database:
            return .database(
                id: id, recordType: condition.recordType, notificationInfo: subscription.notificationInfo)
        }
    }

    private static func given(_ filter: Filter) -> GivenFilter {
        switch filter.operand {
        case .value(let value):
            GivenFilter(
                field: filter.field, comparator: filter.comparator,
                operand: .value(GivenValue(value, isTypeExplicit: true)), distance: filter.distance)
        case .values(let values, let type):
            GivenFilter(
                field: filter.field, comparator: filter.comparator, operand: .values(values, of: type),
                distance: filter.distance)
        }
    }
}
