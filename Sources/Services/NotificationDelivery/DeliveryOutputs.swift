import CloudMessages
import CloudModel
import EventLog
import ProtocolBuffers

/// The entries that a step of delivery writes before it commits.
struct DeliveryOutputs {
    /// Journals and feeds that have to exist first.
    var topics: [TopicSpecification] = []
    var journals: [OutgoingEntry] = []
    var feeds: [OutgoingEntry] = []
    var commands: [OutgoingEntry] = []
    /// Entries of `pushes`, written after the feeds are acknowledged: a courier finds the notification in the feed.
    var pushes: [OutgoingEntry] = []
    /// The feeds that have something new, with the name of their last entry.
    var hints: [Life: SourcePosition] = [:]
    /// True when a device's first entry is among the feeds': then the journals have to be acknowledged before.
    var hasRegistration = false
    /// Notifications that were made.
    var notificationCount = 0

    /// One life of a device.
    struct Life: Hashable {
        var device: DeviceID
        var epoch: DeviceEpoch
    }

    /// True when there is nothing to write. Hints never come without entries of journals.
    var isEmpty: Bool {
        journals.isEmpty && feeds.isEmpty && commands.isEmpty && pushes.isEmpty && topics.isEmpty
    }

    /// Bytes of the entries, with `Limits.rowBytes` beside each.
    var heldBytes: Int {
        [journals, feeds, commands, pushes].joined().reduce(0) { $0 + $1.byteCount + Limits.rowBytes }
    }

    /// Adds the outputs of another entry of the same step.
    mutating func add(_ other: DeliveryOutputs) {
        topics += other.topics
        journals += other.journals
        feeds += other.feeds
        commands += other.commands
        pushes += other.pushes
        hints.merge(other.hints) { $1 }
        hasRegistration = hasRegistration || other.hasRegistration
        notificationCount += other.notificationCount
    }

    /// Removes entries of journals and feeds that cannot be created.
    mutating func drop(_ refused: Set<TopicName>) {
        topics.removeAll { refused.contains($0.name) }
        journals.removeAll { refused.contains($0.partition.topic) }
        feeds.removeAll { refused.contains($0.partition.topic) }
    }

    /// The journals and feeds that have to be there before the outputs are written, but for those that they make.
    var existingTopics: Set<TopicName> {
        Set((journals + feeds).map(\.partition.topic)).subtracting(topics.map(\.name))
    }

    /// Feeds that one entry of hints names at most: some 50 bytes each.
    private static let hintsMax = 10_000

    /// The entries that wake readers of the feeds; written beside the feeds, as a reader that is woken early reads
    /// again.
    /// - Parameter partition: the partition of `pushes` with the number of the one of `deliveries`.
    func hintEntries(to partition: TopicPartition, at time: LogTimestamp) -> [OutgoingEntry] {
        // In an order of their own, so that a run that is repeated writes the same.
        let sorted = hints.sorted { ($0.key.device.rawValue, $0.key.epoch) < ($1.key.device.rawValue, $1.key.epoch) }
        return stride(from: 0, to: sorted.count, by: Self.hintsMax).map { start in
            let part = sorted[start..<min(start + Self.hintsMax, sorted.count)]
            let entry = PushEntry(
                source: SourcePositionMessage(part[start].value),
                hints: part.map {
                    FeedHint(
                        device: $0.key.device.rawValue, epoch: $0.key.epoch.rawValue, offset: $0.value.offset,
                        index: $0.value.index)
                })
            return OutgoingEntry(
                partition, key: nil, value: entry.encoded(),
                headers: OperatorHeaders.make(
                    type: "hints", source: "\(part[start].value.source)",
                    id: "\(part[start].value.offset).\(part[start].value.index)"), timestamp: time)
        }
    }
}
