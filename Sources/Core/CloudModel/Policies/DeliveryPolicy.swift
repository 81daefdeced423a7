/// The time at which a subscription's notifications reach a person (docs/policies.md). Feeds stay complete unless it
/// shapes them.
package struct DeliveryPolicy: Hashable, Sendable {
    /// The changes that one notification stands for.
    package enum Grouping: Hashable, Sendable {
        /// Each change is notified by itself.
        case everyChange
        /// The last change of each record within a window.
        case latestPerRecord(windowSeconds: Int)
        /// All changes within a window, or so many of them if they come before its end; nil for any number.
        case digest(windowSeconds: Int, count: Int?)
    }

    package var grouping: Grouping
    /// The hours in which nothing is pushed; nil for none.
    package var quietHours: QuietHours?
    /// Pushes in an hour; nil for any number. Further changes are in the count of the next push.
    package var hourlyMax: Int?
    /// True if the grouping acts on the feed, and so on pushes; false if it acts on pushes alone.
    package var shapesFeed: Bool

    package init(
        _ grouping: Grouping = .everyChange, quietHours: QuietHours? = nil, hourlyMax: Int? = nil,
        shapesFeed: Bool = false
    ) {
        self.grouping = grouping
        self.quietHours = quietHours
        self.hourlyMax = hourlyMax
        self.shapesFeed = shapesFeed
    }

    /// True if it holds nothing.
    package var isImmediate: Bool { grouping == .everyChange && quietHours == nil && hourlyMax == nil }

    /// The part that acts on pushes.
    package var ofPushes: DeliveryPolicy {
        var policy = self
        if shapesFeed { (policy.grouping, policy.shapesFeed) = (.everyChange, false) }
        return policy
    }

    /// Milliseconds after which a held delivery is due at the latest.
    package static let delayMax = Int64(Limits.deliveryDelaySecondsMax) * 1000

    /// Milliseconds for which changes are gathered.
    package var window: Int64 {
        switch grouping {
        case .everyChange: 0
        case .latestPerRecord(let seconds), .digest(let seconds, _): Int64(seconds) * 1000
        }
    }

    /// The number of changes after which they are not held any longer; nil for any number.
    package var countMax: Int? {
        if case .digest(_, let count) = grouping { count } else { nil }
    }

    /// True if each record has a notification of its own.
    package var isPerRecord: Bool {
        if case .latestPerRecord = grouping { true } else { false }
    }
}
