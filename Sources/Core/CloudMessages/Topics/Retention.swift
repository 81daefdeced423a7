/// The times that topics keep their entries, in milliseconds (docs/delivery.md; settings).
package struct Retention: Hashable, Sendable {
    /// `changes.*`.
    package var changes: Int64
    /// `deliveries` and `commands`.
    package var deliveries: Int64
    /// Journals and feeds.
    package var feeds: Int64
    /// `pushes`: an older notification is not worth a push. No setting.
    package let pushes = days(1)

    package init(changes: Int64 = days(30), deliveries: Int64 = days(7), feeds: Int64 = days(90)) {
        self.changes = changes
        self.deliveries = deliveries
        self.feeds = feeds
    }

    /// Days as milliseconds.
    package static func days(_ count: Int64) -> Int64 { count * 86_400_000 }
}
