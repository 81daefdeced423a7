package import CloudModel
package import EventLog

/// The place of a reader in a device's feed, which is the user's journal up to the device's registration and then the
/// device's own topic.
package struct FeedPosition: Hashable, Sendable {
    /// The parts of a feed.
    package enum Part: Int32, Sendable {
        case journal = 0
        case feed = 1
        /// The user's journal, which is all there is in the layout `sharded`.
        case shared = 2
        /// The device's own topic, which stage 3 makes of the journal and which is read on the log alone.
        case topic = 3

        /// True for a part in a topic of the device's own.
        package var isInTopic: Bool { self == .feed || self == .topic }
        /// True for a part that has all of a feed.
        var isWhole: Bool { self == .shared || self == .topic }
    }

    /// The part that the reader is in.
    package var part: Part
    /// The place in that part.
    package var position: LogPosition
    /// Below this offset of the part a missing predecessor is no gap: reading started without a token where retention
    /// had cut the topic, and the first entries may repeat removed ones. 0 if nothing may be missing.
    package var raggedUntil: Int64
    /// The log that the place is in; empty where that is not known, as in tokens of an earlier version.
    package var log: String
    /// The fingerprint of the entry right before the position; nil if none was read in this part. A log restored from
    /// an older copy may have another entry there, and then the next entries are not the successors.
    package var fingerprint: UInt64?
    /// The offset of the fingerprinted entry in a shared journal, where entries of other users may lie between it and
    /// the position.
    package var looked: Int64?
    /// The time of the last entry that was looked at; nil before the first.
    package var time: Timestamp?

    package init(
        part: Part, position: LogPosition, raggedUntil: Int64 = 0, log: String = "", fingerprint: UInt64? = nil,
        looked: Int64? = nil, time: Timestamp? = nil
    ) {
        self.part = part
        self.position = position
        self.raggedUntil = raggedUntil
        self.log = log
        self.fingerprint = fingerprint
        self.looked = looked
        self.time = time
    }

    /// The entry before a place in a device's topic; nil where none was read, or the part is the journal.
    var entryBefore: (offset: Int64, fingerprint: UInt64)? {
        guard part == .feed, position.offset > 0, let fingerprint else { return nil }
        return (position.offset - 1, fingerprint)
    }

    /// The fingerprint of an entry.
    static func fingerprint(_ entry: [UInt8]) -> UInt64 { entry.stableHash() }
}
