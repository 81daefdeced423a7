import CloudModel
public import Foundation

// What can change is guarded, as in the class above it.
/// A subscription to the changes of records that satisfy a predicate.
public final class CKQuerySubscription: CKSubscription, @unchecked Sendable {
    /// The changes that a subscription fires on, by CloudKit's bits, and ours.
    public struct Options: OptionSet, Sendable {
        /// The bits.
        public let rawValue: UInt
        /// Options from their bits.
        public init(rawValue: UInt) { self.rawValue = rawValue }
        /// A record that satisfies the predicate was created.
        public static let firesOnRecordCreation = Options(rawValue: 1)
        /// A record that satisfies the predicate was changed.
        public static let firesOnRecordUpdate = Options(rawValue: 2)
        /// A record that satisfied the predicate was deleted.
        public static let firesOnRecordDeletion = Options(rawValue: 4)
        /// The subscription ends with its first notification.
        public static let firesOnce = Options(rawValue: 8)
        /// A record began to satisfy the predicate; not in CloudKit.
        public static let firesOnRecordEntry = Options(rawValue: 16)
        /// A record ceased to satisfy the predicate; not in CloudKit.
        public static let firesOnRecordLeave = Options(rawValue: 32)
    }

    /// The type of the records.
    public let recordType: CKRecord.RecordType
    /// The condition, which never changes.
    public let predicate: NSPredicate
    /// The changes that it fires on.
    public let querySubscriptionOptions: Options
    /// The one zone that it is limited to; nil is all zones.
    @CKGuarded public var zoneID: CKRecordZone.ID? = nil
    /// The fields one of which an update has to change for it to fire; empty is any. Not in CloudKit.
    @CKGuarded public var changedKeys: [CKRecord.FieldKey] = []
    /// The query of a subscription that was fetched, with filters that no format has.
    private let received: GivenQuery?

    init(
        kindOf recordType: CKRecord.RecordType, predicate: NSPredicate, id: CKSubscription.ID, options: Options,
        received: GivenQuery? = nil
    ) {
        self.recordType = recordType
        self.predicate = predicate
        self.received = received
        querySubscriptionOptions = options
        super.init(id: id, type: .query)
    }

    convenience init(received draft: SubscriptionDraft, _ query: GivenQuery, id: String) {
        var options = Options(rawValue: UInt(draft.firesOn.rawValue))
        if draft.firesOnce { options.insert(.firesOnce) }
        let predicate = query.predicate.map { NSPredicate.made(PredicateFormat($0)) } ?? NSPredicate(value: true)
        self.init(
            kindOf: query.recordType.rawValue, predicate: predicate, id: id, options: options, received: query)
        zoneID = draft.zone.map { CKRecordZone.ID(zoneName: $0.name.rawValue) }
        changedKeys = draft.changedKeys.map(\.rawValue)
    }

    /// A subscription to a query; it fires on creations, updates and deletions unless options say otherwise.
    public convenience init(
        recordType: CKRecord.RecordType, predicate: NSPredicate, subscriptionID: CKSubscription.ID,
        options: Options = [.firesOnRecordCreation, .firesOnRecordUpdate, .firesOnRecordDeletion]
    ) {
        self.init(kindOf: recordType, predicate: predicate, id: subscriptionID, options: options)
    }

    /// A subscription to a query, under an ID of its own.
    public convenience init(recordType: CKRecord.RecordType, predicate: NSPredicate, options: Options) {
        self.init(kindOf: recordType, predicate: predicate, id: UUID().uuidString, options: options)
    }

    /// A subscription from an archive.
    public required convenience init?(coder: NSCoder) {
        guard let made = Self.archived(in: coder) as? Self else { return nil }
        self.init(made: made)
    }

    override func draft() throws(CKError) -> SubscriptionDraft {
        let query: GivenQuery
        if let received {
            query = received
        } else {
            query = GivenQuery(
                recordType: RecordType(trusted: recordType), filters: [],
                predicate: try predicate.request.get().given())
        }
        let events = querySubscriptionOptions.subtracting(.firesOnce)
        guard !events.isEmpty else {
            throw CKError(.invalidArguments, "the subscription '\(subscriptionID)' fires on nothing: give it options")
        }
        return SubscriptionDraft(
            id: SubscriptionID(trusted: subscriptionID), query: query, zone: zoneID?.given,
            firesOn: FiringEvents(rawValue: UInt32(events.rawValue & 0xff)),
            firesOnce: querySubscriptionOptions.contains(.firesOnce),
            changedKeys: changedKeys.map { FieldName(trusted: $0) }, notificationInfo: notificationInfo?.noun)
    }
}

/// The older name of a query subscription's options.
public typealias CKSubscriptionOptions = CKQuerySubscription.Options
/// The older name of a query subscription's options.
public typealias CKQuerySubscriptionOptions = CKQuerySubscription.Options
