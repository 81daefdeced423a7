/// The way by which notifications are brought to a device: delivery stores it with the device.
package struct CourierKind: Hashable, Sendable, CustomStringConvertible {
    /// The name, as messages carry it.
    package let rawValue: String

    /// The web courier, which clients poll.
    package static let web = CourierKind("web")
    /// Apple's push service.
    package static let apns = CourierKind("apns")
    /// The push services of browsers, and UnifiedPush.
    package static let webPush = CourierKind("webPush")
    /// Signed requests to a server.
    package static let webhook = CourierKind("webhook")

    /// The kinds that send to an address of the device, in the order in which they are listed.
    package static let addressed = [apns, webPush, webhook]

    package init(_ rawValue: String) { self.rawValue = rawValue }

    package var description: String { rawValue }
}
