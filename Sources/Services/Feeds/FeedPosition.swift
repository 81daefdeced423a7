package import CloudModel
package import EventLog

/// The place of a reader in a device's feed.
package struct FeedPosition: Hashable, Sendable {
    /// The forms of a place.
    package enum Part: Int32, Sendable {
        /// In a user's own journal, in tokens of earlier versions: the seen names count, and no offset.
        case journal = 0
        /// Behind the device's registration and the names seen since; no offset counts.
        case feed = 1
        /// In the user's journal.
        case shared = 2
        /// In the device's own topic, which stage 3 makes of the journal and which is read on the log alone.
        case topic = 3

        /// The word for it in texts for operators: the `journal` has all of the user's notifications, the `feed` those
        /// for the device, from its registration on or in its topic.
        package var name: String {
            switch self {
            case .journal, .shared: "journal"
            case .feed, .topic: "feed"
            }
        }
        /// True for a place with an offset.
        var isWhole: Bool { self == .shared || self == .topic }
    }

    /// The form of the place.
    package var part: Part
    /// The offset of the next entry, and the names that were seen.
    package var position: LogPosition
    /// Below this offset a missing predecessor is no gap: reading began without a token where retention had cut the
    /// partition, and the first entries may repeat removed ones. 0 if nothing may be missing.
    package var raggedUntil: Int64
    /// The log that the place is in; empty where that is not known, as in tokens of an earlier version.
    package var log: String
    /// The fingerprint of the last entry that was read; nil before the first. A log restored from an older copy may have
    /// another entry there, and then the next entries are not the successors.
    package var fingerprint: UInt64?
    /// The offset of that entry: entries of other users may lie between it and the position.
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

    /// The fingerprint of an entry.
    static func fingerprint(_ entry: [UInt8]) -> UInt64 { entry.stableHash() }
}
