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

    /// True if a silent push is sent in place of several that waited.
    package var isSilentWhenBehind: Bool {
        get {
            switch self {
            case .apns(let address): address.isSilentWhenBehind
            case .webPush(let address): address.isSilentWhenBehind
            case .webhook(let address): address.isSilentWhenBehind
            }
        }
        set {
            switch self {
            case .apns(var address):
                address.isSilentWhenBehind = newValue
                self = .apns(address)
            case .webPush(var address):
                address.isSilentWhenBehind = newValue
                self = .webPush(address)
            case .webhook(var address):
                address.isSilentWhenBehind = newValue
                self = .webhook(address)
            }
        }
    }
}
