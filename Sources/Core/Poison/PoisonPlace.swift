/// The place of an entry that a stage met: an entry is set aside for that stage alone.
package struct PoisonPlace: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// A reader of topics that can meet such an entry.
    package enum Stage: String, Sendable, CaseIterable {
        /// Stage 1, on `changes.*`.
        case match
        /// Stage 1, reading `changes.*` again for a subscription's backfill.
        case backfill
        /// Stage 1's table, on `subscriptions`.
        case table
        /// Stage 2, on `deliveries`.
        case deliver
        /// Stage 3, on `journals`.
        case feeds
        /// Push senders, on `pushes`.
        case push
        /// The relay, on the store's outbox: the place is where the row would have gone, its offset the row's sequence.
        case relay
    }

    /// The stage that meets it.
    package var stage: Stage
    /// The topic's name without the container's prefix.
    package var topic: String
    /// The incarnation of the topic of that name; 0 where topics have no incarnation.
    package var incarnation: UInt64
    /// The partition.
    package var partition: Int32
    /// The entry.
    package var offset: Int64

    package init(stage: Stage, topic: String, incarnation: UInt64, partition: Int32, offset: Int64) {
        self.stage = stage
        self.topic = topic
        self.incarnation = incarnation
        self.partition = partition
        self.offset = offset
    }

    /// Without the offset, as marks name it.
    var name: String { "\(stage.rawValue)/\(topic)/\(String(incarnation, radix: 16))/\(partition)" }

    /// `match/changes.public/3@4711`: how commands name it; `fanfare poison retry` takes the same.
    package var description: String { "\(stage.rawValue)/\(topic)/\(partition)@\(offset)" }

    package static func < (left: PoisonPlace, right: PoisonPlace) -> Bool {
        (left.stage.rawValue, left.topic, left.partition, left.offset)
            < (right.stage.rawValue, right.topic, right.partition, right.offset)
    }

    /// Reads a mark's place back; nil when it is none of a stage's.
    init?(name: Substring, offset: Int64) {
        let parts = name.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 4, let stage = Stage(rawValue: String(parts[0])), !parts[1].isEmpty,
            let incarnation = UInt64(parts[2], radix: 16), let partition = Int32(parts[3])
        else { return nil }
        self.init(stage: stage, topic: String(parts[1]), incarnation: incarnation, partition: partition, offset: offset)
    }
}
