import CloudModel

/// The headers by which APNs delivers a push: CloudKit calls it the priority of a subscription's notifications
/// (docs/cloudkit.md#notificationinfo).
///
/// A push that shows something (an alert, a sound, a badge) has the high one. Others are silent: they wake the app in
/// the background and may come later. APNs wants the high priority only for pushes that the user notices, so fields, a
/// category or a collapse identifier alone do not raise it.
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
    /// The header `apns-collapse-id`, at most `Limits.collapseIDBytesMax` bytes; nil where there is none.
    package let collapseID: String?

    init(isVisible: Bool, collapseID: String?) {
        pushType = isVisible ? .alert : .background
        priority = isVisible ? 10 : 5
        self.collapseID = collapseID.flatMap { $0.isEmpty ? nil : Self.cut($0) }
    }

    /// The header takes bytes, of which none may be half a character.
    private static func cut(_ text: String) -> String {
        var cut = text.cut(to: Limits.collapseIDBytesMax)
        while cut.utf8.count > Limits.collapseIDBytesMax { cut.unicodeScalars.removeLast() }
        return cut
    }
}
