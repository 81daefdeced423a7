import CloudJSON
import CloudModel
public import Foundation

/// A notification as one of the user's devices reads it.
public struct FanfareNotification: Hashable, Sendable {
    /// The news of a notification.
    public enum Content: Hashable, Sendable {
        /// A query subscription fired on a record, which has the subscription's additional fields.
        case record(name: String, type: String, event: FanfareSubscription.Event, fields: [String: FanfareValue])
        /// A zone or database subscription fired on a change in a zone: fetch what changed.
        case zone(String)
        /// More subscriptions fired on a change than are told one by one: fetch what changed.
        case omitted(count: Int)
        /// The notification of this ID was read on another device.
        case read
    }

    /// The ID, the same on all devices of the user.
    public let id: String
    /// The news.
    public let content: Content
    /// The subscription that fired; nil where none is told.
    public let subscriptionID: String?
    /// The alert's text; nil where none is shown.
    public let alertBody: String?
    /// The device's badge after it; nil leaves it as it is.
    public let badge: Int?
    /// The time at which the change was committed.
    public let changed: Date
    /// True if the change was committed before the subscription was created, which began in the past.
    public let isBackfilled: Bool
    /// The change token to read on with after it.
    public let token: String

    init(_ notification: ReceivedNotification, token: String) {
        id = notification.id
        changed = Date(notification.changed)
        self.token = token
        guard case .query(let told) = notification.content else {
            if case .omitted(let omitted) = notification.content {
                content = .omitted(count: omitted.count)
            } else {
                content = .read
            }
            (subscriptionID, alertBody, badge, isBackfilled) = (nil, nil, nil, false)
            return
        }
        content = told.kind == .query ? Self.record(told) : .zone(told.zone.name.rawValue)
        subscriptionID = told.subscription.id.rawValue
        alertBody = told.appearance.alert.text
        badge = told.badge.map { Int($0) }
        isBackfilled = told.isBackfilled
    }

    private static func record(_ told: CloudModel.Notification.QueryContent) -> Content {
        let event: FanfareSubscription.Event =
            switch told.reason {
            case .created: .create
            case .updated: .update
            case .deleted: .delete
            }
        let fields = told.fields.entries.map { ($0.name.rawValue, FanfareValue($0.value)) }
        return .record(
            name: told.recordName.rawValue, type: told.recordType.rawValue, event: event,
            fields: Dictionary(uniqueKeysWithValues: fields))
    }
}
