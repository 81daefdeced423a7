import CloudJSON
import CloudModel

/// A notification as a device of the demonstration reads it.
struct DemoNote: Sendable {
    let id: String
    /// True if it only tells that another one was read.
    let isRead: Bool
    let subscription: String
    let record: String
    let title: String
    let year: Int64
    /// The artist's record name.
    let artist: String
    let badge: Int64?
    /// The time at which the change was committed, in ms since 1970.
    let changed: Int64
    /// Everything but the badge, which each device counts for itself.
    let content: ReceivedNotification

    init(_ notification: ReceivedNotification) {
        var notification = notification
        id = notification.id
        changed = notification.changed.milliseconds
        isRead = notification.content == .read
        guard case .query(var told) = notification.content else {
            (subscription, record, title, year, artist, badge) = ("", "", "", 0, "", nil)
            content = notification
            return
        }
        subscription = told.subscription.id.rawValue
        record = told.recordName.rawValue
        title = if case .string(let text)? = told.fields[Self.title] { text } else { "" }
        year = if case .int64(let number)? = told.fields[Self.year] { number } else { 0 }
        artist = if case .reference(let artist)? = told.fields[Self.artist] { artist.recordName.rawValue } else { "" }
        badge = told.badge
        told.badge = nil
        notification.content = .query(told)
        content = notification
    }

    private static let title = FieldName(trusted: "title")
    private static let year = FieldName(trusted: "year")
    private static let artist = FieldName(trusted: "artist")

    var entry: DemoExpectation.Entry { DemoExpectation.Entry(subscription: subscription, record: record) }
}
