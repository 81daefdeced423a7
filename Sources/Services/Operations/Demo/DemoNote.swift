import JSON

/// A notification as a device of the demonstration reads it.
struct DemoNote: Sendable {
    let id: String
    /// Whether it only tells that another one was read.
    let isRead: Bool
    let subscription: String
    let record: String
    let title: String
    let year: Int64
    /// The artist's record name.
    let artist: String
    let badge: Int64?
    /// When the change was committed, in ms since 1970.
    let changed: Int64
    /// Everything but the badge, which each device counts for itself.
    let content: JSONValue

    init(_ json: JSONValue) {
        let fields = json["recordFields"]
        id = json["notificationID"]?.string ?? ""
        isRead = json["notificationType"]?.string == "readNotification"
        subscription = json["subscriptionID"]?.string ?? ""
        record = json["recordName"]?.string ?? ""
        title = fields?["title"]?["value"]?.string ?? ""
        year = fields?["year"]?["value"]?.integer ?? 0
        artist = fields?["artist"]?["value"]?["recordName"]?.string ?? ""
        badge = json["badge"]?.integer
        changed = json["changed"]?.integer ?? 0
        var members = json.object ?? [:]
        members["badge"] = nil
        members["pushPayload"] = nil
        content = .object(members)
    }

    var entry: DemoExpectation.Entry { DemoExpectation.Entry(subscription: subscription, record: record) }
}
