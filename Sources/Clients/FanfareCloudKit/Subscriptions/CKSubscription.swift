import CloudJSON
import CloudModel
public import Foundation

// What can change is guarded; CloudKit declares the class the same way, and the kinds are its subclasses.
/// A standing question to the service: notify this user's devices of changes. One of the three kinds below.
public class CKSubscription: NSObject, NSSecureCoding, NSCopying, @unchecked Sendable {
    /// A subscription's ID, unique among the user's in a database.
    public typealias ID = String

    /// The kinds, by CloudKit's numbers.
    public enum SubscriptionType: Int, Sendable {
        /// A subscription to the records that satisfy a query.
        case query = 1
        /// A subscription to a zone.
        case recordZone = 2
        /// A subscription to all custom zones of a database.
        case database = 3
    }

    /// The place in the past that a new subscription begins from; not in CloudKit.
    public enum StartingFrom: Sendable {
        /// Changes after its creation only.
        case now
        /// Starts with changes that were committed at this time or later, as far as they are retained.
        case date(Date)
        /// Starts with changes after those that the device had received at this token, or after those that a query of
        /// the same database had seen (`CKQueryOperation.serverChangeToken`).
        case changeToken(CKServerChangeToken)
    }

    /// The ID.
    public let subscriptionID: ID
    /// The kind.
    public let subscriptionType: SubscriptionType
    /// The notification; a subscription without one is refused.
    @CKGuarded public var notificationInfo: NotificationInfo? = nil
    /// The place in the past that it begins from when it is created; later it changes nothing.
    @CKGuarded public var startingFrom = StartingFrom.now

    init(id: ID, type: SubscriptionType) {
        subscriptionID = id
        subscriptionType = type
    }

    /// A subscription to a query, as CloudKit's first years wrote it.
    public convenience init(
        recordType: CKRecord.RecordType, predicate: NSPredicate, options: CKQuerySubscription.Options
    ) {
        self.init(
            recordType: recordType, predicate: predicate, subscriptionID: UUID().uuidString, options: options)
    }

    /// A subscription to a query, as CloudKit's first years wrote it.
    public convenience init(
        recordType: CKRecord.RecordType, predicate: NSPredicate, subscriptionID: ID,
        options: CKQuerySubscription.Options
    ) {
        let made: CKSubscription = CKQuerySubscription(
            kindOf: recordType, predicate: predicate, id: subscriptionID, options: options)
        self.init(made: made as! Self)
    }

    /// A subscription to a zone, as CloudKit's first years wrote it; the options say nothing.
    public convenience init(zoneID: CKRecordZone.ID, options: CKQuerySubscription.Options) {
        let made: CKSubscription = CKRecordZoneSubscription(watching: zoneID, id: UUID().uuidString)
        self.init(made: made as! Self)
    }

    /// The subscription as a request gives it.
    func draft() throws(CKError) -> SubscriptionDraft {
        throw CKError(.invalidArguments, "a subscription is one to a query, a zone or a database")
    }

    /// The subscription as a request gives it, with where it begins.
    final func given() throws(CKError) -> SubscriptionDraft {
        var draft = try draft()
        switch startingFrom {
        case .now: draft.startingFrom = .now
        case .date(let date): draft.startingFrom = .time(Timestamp(date))
        case .changeToken(let token): draft.startingFrom = .changeToken(token.text)
        }
        return draft
    }

    /// A subscription as the service answered it.
    static func received(_ draft: SubscriptionDraft) throws(CKError) -> CKSubscription {
        let id = draft.id?.rawValue ?? ""
        let result: CKSubscription
        switch draft.kind {
        case .query:
            guard let query = draft.query else { throw CKError(.internalError, "the answer has no query") }
            result = CKQuerySubscription(received: draft, query, id: id)
        case .zone:
            let zone = CKRecordZoneSubscription(
                zoneID: CKRecordZone.ID(zoneName: draft.zone?.name.rawValue ?? CKRecordZone.ID.defaultZoneName),
                subscriptionID: id)
            zone.recordType = draft.recordType?.rawValue
            result = zone
        case .database:
            let database = CKDatabaseSubscription(subscriptionID: id)
            database.recordType = draft.recordType?.rawValue
            result = database
        }
        result.notificationInfo = draft.notificationInfo.map { NotificationInfo($0) }
        if case .time(let time) = draft.startingFrom { result.startingFrom = .date(Date(time)) }
        return result
    }

    // MARK: NSSecureCoding

    /// True.
    public class var supportsSecureCoding: Bool { true }

    /// Writes the subscription. One that no service would take is not written, and not read again.
    public func encode(with coder: NSCoder) {
        JSONArchive.write((try? given()).map { SubscriptionJSON.draft($0) }, with: coder)
    }

    /// A subscription from an archive.
    public required convenience init?(coder: NSCoder) {
        guard let made = Self.archived(in: coder) as? Self else { return nil }
        self.init(made: made)
    }

    static func archived(in coder: NSCoder) -> CKSubscription? {
        JSONArchive.read(from: coder) { try CKSubscription.received(try SubscriptionJSON.read($0)) }
    }

    /// The ID and the kind, for developers.
    public override var description: String { "<\(Self.self) \(subscriptionID)>" }

    /// A subscription with the same parts.
    public func copy(with zone: NSZone? = nil) -> Any {
        guard let draft = try? given(), let copy = try? CKSubscription.received(draft) else { return self }
        copy.notificationInfo = notificationInfo
        copy.startingFrom = startingFrom
        return copy
    }
}

/// An object whose initialisers may give one of a subclass, as Objective-C's do.
protocol SubclassMaking {}

extension SubclassMaking {
    init(made object: Self) { self = object }
}

extension CKSubscription: SubclassMaking {}
