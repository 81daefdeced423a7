/// The headers by which APNs delivers a push: CloudKit calls it the priority of a subscription's notifications
/// (docs/cloudkit.md#notificationinfo).
///
/// A push that shows something (an alert, a sound, a badge) has the high one. Others are silent: they wake the app in
/// the background and may come later. APNs wants the high priority only for pushes that the user notices, so fields or
/// a category alone do not raise it.
package struct PushDelivery: Hashable, Sendable {
    /// APNs' kinds of push that subscriptions make.
    package enum PushType: String, Sendable {
        case alert
        case background
    }

    /// The header `apns-push-type`.
    package let pushType: PushType
    /// The header `apns-priority`: 10 is at once, 5 when it suits the device.
    package let priority: Int
    /// The subscription's collapse identifier as it is, of any length; nil where there is none.
    package let collapseID: String?

    init(isVisible: Bool, collapseID: String?) {
        pushType = isVisible ? .alert : .background
        priority = isVisible ? 10 : 5
        self.collapseID = collapseID.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// True for an alert, a sound or a badge.
    package var isVisible: Bool { pushType == .alert }
}
