/// The parts of a payload that are there, and can be left out where it would be too large.
struct PushParts: OptionSet {
    let rawValue: UInt32

    static let container = PushParts(rawValue: 1 << 0)
    static let notificationID = PushParts(rawValue: 1 << 1)
    /// The record of a query's notification, and the zone.
    static let place = PushParts(rawValue: 1 << 2)
    static let reason = PushParts(rawValue: 1 << 3)
    static let database = PushParts(rawValue: 1 << 4)
    static let title = PushParts(rawValue: 1 << 5)
    static let titleKey = PushParts(rawValue: 1 << 6)
    static let titleArguments = PushParts(rawValue: 1 << 7)
    static let subtitle = PushParts(rawValue: 1 << 8)
    static let subtitleKey = PushParts(rawValue: 1 << 9)
    static let subtitleArguments = PushParts(rawValue: 1 << 10)
    static let body = PushParts(rawValue: 1 << 11)
    static let bodyKey = PushParts(rawValue: 1 << 12)
    static let bodyArguments = PushParts(rawValue: 1 << 13)
    static let actionKey = PushParts(rawValue: 1 << 14)
    static let launchImage = PushParts(rawValue: 1 << 15)
    static let badge = PushParts(rawValue: 1 << 16)
    static let sound = PushParts(rawValue: 1 << 17)
    static let category = PushParts(rawValue: 1 << 18)
    static let contentAvailable = PushParts(rawValue: 1 << 19)
    /// The largest of the additional fields, which are counted elsewhere; repeated until there is none.
    static let field = PushParts(rawValue: 1 << 20)

    /// The parts of the alert.
    static let alert: PushParts = [
        .title, .titleKey, .titleArguments, .subtitle, .subtitleKey, .subtitleArguments, .body, .bodyKey,
        .bodyArguments, .actionKey, .launchImage,
    ]

    /// The parts that the user notices.
    static let visible = alert.union([.sound, .badge])

    /// The order in which parts are dropped. It is that of CloudKit's page on `isPruned` (docs/cloudkit.md#pruning):
    /// the container, the change, the look, the notification's ID. Parts that the page does not name are ordered as in
    /// the SDK's header within their kind: the additional fields before the other details, subtitle, title and
    /// `content-available` before the rest of the look. `category`, which neither names, comes after the action key.
    /// The subscription's ID, `mutable-content` and the user always stay: they are small.
    static let pruningOrder: [PushParts] = [
        .container, .field, .place, .reason, .database,
        .subtitle, .subtitleArguments, .subtitleKey, .title, .titleArguments, .titleKey,
        .contentAvailable, .sound, .launchImage, .actionKey, .category,
        .body, .bodyArguments, .bodyKey, .badge,
        .notificationID,
    ]
}
