package import EventLog

/// The place of a reader in a device's feed, which is the user's journal up to the device's registration and then the
/// device's own topic.
package struct FeedPosition: Hashable, Sendable {
    /// The two parts of a feed.
    package enum Part: Int32, Sendable {
        case journal = 0
        case feed = 1
    }

    /// The part that the reader is in.
    package var part: Part
    /// The place in that part.
    package var position: LogPosition
    /// Below this offset of the part a missing predecessor is no gap: the reading began without a token where retention
    /// had cut the topic, and what is left there may begin with repeats of what is gone. 0 where nothing may be missing.
    package var raggedUntil: Int64

    package init(part: Part, position: LogPosition, raggedUntil: Int64 = 0) {
        self.part = part
        self.position = position
        self.raggedUntil = raggedUntil
    }
}
