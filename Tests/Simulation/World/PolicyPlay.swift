import CloudModel

/// How the notifications of a history are held by delivery policies.
enum PolicyPlay: Sendable {
    /// Policies of subscriptions act on feeds, and so on pushes.
    case feeds
    /// Policies of subscriptions, and those that users choose for devices, act on pushes alone.
    case pushes

    /// The policy of a subscription; nil notifies each change at once.
    func policy(of id: SubscriptionID) -> DeliveryPolicy? {
        switch id.rawValue {
        case "s0": DeliveryPolicy(.digest(windowSeconds: 60, count: 3), shapesFeed: self == .feeds)
        case "s1", "s5": DeliveryPolicy(.latestPerRecord(windowSeconds: 30), shapesFeed: self == .feeds)
        default: nil
        }
    }

    /// What users choose for a device, one after the other.
    static let choices = [
        DevicePolicies(general: DeliveryPolicy(hourlyMax: 1)),
        DevicePolicies(general: DeliveryPolicy(quietHours: QuietHours(from: 0, to: 720))),
        DevicePolicies(
            general: DeliveryPolicy(.digest(windowSeconds: 600, count: nil)),
            chosen: [
                DevicePolicies.Chosen(
                    database: .public, subscription: SubscriptionID(trusted: "s1"), policy: DeliveryPolicy())
            ]),
        DevicePolicies(),
    ]
}
