package import EventLog

/// Where a reader stands in a device's feed, which is the user's journal up to the device's registration and then the
/// device's own topic.
package struct FeedPosition: Hashable, Sendable {
    /// The two parts of a feed.
    package enum Part: Int32, Sendable {
        case journal = 0
        case feed = 1
    }

    package var part: Part
    package var position: LogPosition

    package init(part: Part, position: LogPosition) {
        self.part = part
        self.position = position
    }
}
