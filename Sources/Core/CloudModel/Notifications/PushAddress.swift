/// The address to which a device's pushes of one kind are sent.
package enum PushAddress: Hashable, Sendable {
    case apns(APNSAddress)
    case webPush(WebPushAddress)
    case webhook(WebhookAddress)

    /// The kind under which devices are registered.
    package var kind: CourierKind {
        switch self {
        case .apns: .apns
        case .webPush: .webPush
        case .webhook: .webhook
        }
    }
}
