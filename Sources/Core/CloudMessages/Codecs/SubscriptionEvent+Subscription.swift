package import CloudModel
import EventLog
import ProtocolBuffers

extension ConditionMessage {
    /// The condition as it is stored and published.
    package init(_ condition: Subscription.Condition) {
        self.init(
            recordType: condition.query.recordType.rawValue, filters: condition.query.filters.map { FilterMessage($0) },
            zone: condition.zone.map(\.rawValue), firesOn: condition.firesOn.rawValue, firesOnce: condition.firesOnce,
            written: condition.query.written.map { WrittenPredicateMessage($0) },
            kind: condition.kind.messageNumber, changedKeys: condition.changedKeys.map(\.rawValue))
    }

    /// The condition.
    package func condition() throws(MalformedMessage) -> Subscription.Condition {
        let type = recordType.isEmpty ? nil : RecordType(trusted: recordType)
        switch try required(Subscription.Kind(messageNumber: kind), "a subscription's kind") {
        case .query: return try queryCondition()
        case .zone: return .zone(ZoneName(trusted: try required(zone, "a zone subscription's zone")), recordType: type)
        case .database: return .database(recordType: type)
        }
    }

    private func queryCondition() throws(MalformedMessage) -> Subscription.Condition {
        var filters: [Filter] = []
        for filter in self.filters { filters.append(try filter.filter()) }
        let written = try written.map { message throws(MalformedMessage) in try message.written() }
        return Subscription.Condition(
            query: Query(recordType: RecordType(trusted: recordType), filters: filters, written: written),
            zone: zone.map { ZoneName(trusted: $0) }, firesOn: FiringEvents(rawValue: firesOn), firesOnce: firesOnce,
            changedKeys: changedKeys.map { FieldName(trusted: $0) })
    }
}

extension Subscription.Condition {
    /// The bytes by which conditions are compared: what they ask for, without the wording of a predicate string.
    package var identity: [UInt8] {
        var condition = self
        condition.query.written?.text = ""
        condition.query.written?.argumentsJSON = nil
        return ConditionMessage(condition).encoded()
    }
}

extension SubscriptionEvent {
    /// A save as it is published by the relay of a store.
    package init(saved: SavedSubscription, store: UInt64) {
        let subscription = saved.subscription
        self.init(
            key: subscription.key, sequence: saved.saved, created: saved.created, store: store)
        condition = ConditionMessage(subscription.condition)
        notificationInfo = NotificationInfoMessage(subscription.notificationInfo)
        backfill = subscription.backfill.map { BackfillMessage($0) }
    }

    /// A deletion as it is published by the relay of a store.
    package init(deleted key: SubscriptionKey, at sequence: CommitSequence, created: CommitSequence, store: UInt64) {
        self.init(key: key, sequence: sequence, created: created, store: store)
    }

    private init(key: SubscriptionKey, sequence: CommitSequence, created: CommitSequence, store: UInt64) {
        self.init(
            source: SourcePositionMessage(SourcePosition(source: .store(store), offset: sequence.rawValue)),
            user: key.user.rawValue, database: key.database.rawValue, id: key.id.rawValue, created: created.rawValue)
    }

    /// The subscription's key.
    package func key() throws(MalformedMessage) -> SubscriptionKey {
        SubscriptionKey(
            user: UserRecordName(trusted: user),
            database: try required(DatabaseScope(rawValue: database), "a subscription's database"),
            id: SubscriptionID(trusted: id))
    }

    /// The sequence of its save or deletion.
    package func sequence() throws(MalformedMessage) -> CommitSequence {
        CommitSequence(try required(source, "a subscription's source").offset)
    }

    /// The version that was saved; nil when the event is a deletion.
    package func saved() throws(MalformedMessage) -> SavedSubscription? {
        guard let condition else { return nil }
        let info = try required(notificationInfo, "a subscription's notificationInfo").notificationInfo
        return SavedSubscription(
            subscription: Subscription(
                key: try key(), condition: try condition.condition(), notificationInfo: info,
                backfill: backfill?.backfill),
            created: CommitSequence(created), saved: try sequence())
    }
}
