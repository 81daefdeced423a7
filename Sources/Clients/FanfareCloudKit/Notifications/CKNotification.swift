import CloudModel
public import Foundation

// Set once; the kinds are its subclasses, as in CloudKit.
/// A notification from a device's feed, or from the payload of a push: one of the subclasses, or a plain one that
/// reports that another was read.
public class CKNotification: NSObject, @unchecked Sendable {
    /// The kinds, by CloudKit's numbers.
    public enum NotificationType: Int, Sendable {
        /// A subscription to a query fired.
        case query = 1
        /// A subscription to a zone fired.
        case recordZone = 2
        /// The notification of this ID was marked as read, on another device.
        case readNotification = 3
        /// A subscription to a database fired.
        case database = 4
    }

    /// The opaque name of a notification.
    public typealias ID = CKNotificationID

    struct Content: Sendable {
        var type: NotificationType
        var id: String?
        var container: String?
        var subscriptionID: String?
        var owner: String?
        var scope = CKDatabase.Scope.public
        var look = Appearance<String>()
        var badge: Int64?
        var isPruned = false
        var recordID: CKRecord.ID?
        var zoneID: CKRecordZone.ID?
        var reason = CKQueryNotification.Reason.recordUpdated
        var fields: [String: FieldContent] = [:]
        var omittedCount = 0
        var changed: Date?
        var isBackfilled = false
        var changeCount = 1
        var token: CKServerChangeToken?
    }

    let content: Content

    init(content: Content) { self.content = content }

    /// The kind.
    public var notificationType: NotificationType { content.type }
    /// The opaque name; nil where a push had no room for it.
    public var notificationID: ID? { content.id.map { ID($0) } }
    /// The container.
    public var containerIdentifier: String? { content.container }
    /// The subscription that fired.
    public var subscriptionID: CKSubscription.ID? { content.subscriptionID }
    /// The user whose subscription it is.
    public var subscriptionOwnerUserRecordID: CKRecord.ID? { content.owner.map { CKRecord.ID(user: $0) } }
    /// True if a push had no room for all of it.
    public var isPruned: Bool { content.isPruned }
    /// The device's badge after it; nil leaves it as it is.
    public var badge: NSNumber? { content.badge.map { NSNumber(value: $0) } }

    // MARK: Not in CloudKit

    /// The time at which the change was committed; nil in a push.
    public var changeDate: Date? { content.changed }
    /// True if the change was committed before the subscription was created, which began in the past. With an
    /// `omittedCount`, the rest of the backfills of so many subscriptions is left out.
    public var isBackfilled: Bool { content.isBackfilled }
    /// The number of changes that it stands for by a delivery policy; it shows the last one.
    public var changeCount: Int { content.changeCount }
    /// The token to read the feed on with after it; nil in a push, and inside of a page.
    public var serverChangeToken: CKServerChangeToken? { content.token }
    /// The number of notifications that are only counted, if this one replaces them: fetch the changes.
    public var omittedCount: Int { content.omittedCount }

    /// The kind and the subscription, for developers.
    public override var description: String {
        "<\(Self.self) \(content.id ?? "-") of \(content.subscriptionID ?? "no subscription")>"
    }

    /// A notification of the class of its kind.
    static func made(_ content: Content) -> CKNotification {
        switch content.type {
        case .query: CKQueryNotification(content: content)
        case .recordZone: CKRecordZoneNotification(content: content)
        case .database: CKDatabaseNotification(content: content)
        case .readNotification: CKNotification(content: content)
        }
    }
}

extension CKNotification: SubclassMaking {}

extension CKNotification {
    /// A notification from the payload of a push; nil for a push that is not CloudKit's, or of another class than this
    /// one.
    public convenience init?(fromRemoteNotificationDictionary dictionary: [AnyHashable: Any]) {
        guard let content = PushedNotification(dictionary)?.content,
            let made = CKNotification.made(content) as? Self
        else { return nil }
        self.init(made: made)
    }
}
