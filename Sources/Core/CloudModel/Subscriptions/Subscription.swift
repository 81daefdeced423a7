/// A user's subscription in one database: every later change that satisfies its condition becomes a notification.
package struct Subscription: Hashable, Sendable {
    /// The kinds of subscriptions, as CloudKit numbers them natively (docs/cloudkit.md#subscriptions).
    package enum Kind: Int32, Sendable, CaseIterable {
        /// Records of a type that satisfy a predicate.
        case query = 1
        /// Everything in one custom zone.
        case zone = 2
        /// Everything in all custom zones of a database, and the zones themselves.
        case database = 3
    }

    /// The changes that a subscription watches. Another condition needs another subscription; `notificationInfo` alone
    /// can change.
    package struct Condition: Hashable, Sendable {
        /// The kind: query, zone or database subscription.
        package var kind: Kind
        /// The query that a record has to satisfy. That of a zone or database subscription has no predicate, and the
        /// type `RecordType.any` unless it is restricted to one.
        package var query: Query
        /// The one zone that is watched; nil means every zone of the database.
        package var zone: ZoneName?
        /// The kinds of changes that a query subscription fires on; all of CloudKit's for the others.
        package var firesOn: FiringEvents
        /// Indicates whether the subscription ends with its first notification; query subscriptions only.
        package var firesOnce: Bool
        /// An update fires only if one of these fields changed; empty means any. Query subscriptions only, ascending,
        /// each once.
        package private(set) var changedKeys: [FieldName]

        /// Makes the condition of a query subscription.
        package init(
            query: Query, zone: ZoneName?, firesOn: FiringEvents, firesOnce: Bool, changedKeys: [FieldName] = []
        ) {
            kind = .query
            self.query = query
            self.zone = zone
            self.firesOn = firesOn
            self.firesOnce = firesOnce
            self.changedKeys = Set(changedKeys).sorted()
        }

        private init(_ kind: Kind, zone: ZoneName?, recordType: RecordType?) {
            self.init(
                query: Query(recordType: recordType ?? .any, filters: []), zone: zone,
                firesOn: [.create, .update, .delete], firesOnce: false)
            self.kind = kind
        }

        /// Makes the condition of a zone subscription: all records of a custom zone, or those of one type.
        package static func zone(_ zone: ZoneName, recordType: RecordType? = nil) -> Condition {
            Condition(.zone, zone: zone, recordType: recordType)
        }

        /// Makes the condition of a database subscription: all custom zones, or the records of one type in them.
        package static func database(recordType: RecordType? = nil) -> Condition {
            Condition(.database, zone: nil, recordType: recordType)
        }

        /// The one type whose records are watched; nil is all of them.
        package var recordType: RecordType? { query.recordType == .any ? nil : query.recordType }
    }

    /// The key that identifies it among all subscriptions.
    package var key: SubscriptionKey
    /// The changes that it watches.
    package var condition: Condition
    /// The contents of its notifications.
    package var notificationInfo: NotificationInfo
    /// The backfill that is delivered first; nil for none. No update changes it.
    package var backfill: Backfill?

    package init(
        key: SubscriptionKey, condition: Condition, notificationInfo: NotificationInfo, backfill: Backfill? = nil
    ) {
        self.backfill = backfill
        self.key = key
        self.condition = condition
        self.notificationInfo = notificationInfo
    }
}

extension RecordType {
    /// Stands for all types in a condition that is not restricted to one; no record has it.
    package static let any = RecordType(trusted: "")
}
