import CloudMessages
import CloudModel
import EventLog
import ProtocolBuffers

/// What a step of delivery writes, before it commits.
struct DeliveryOutputs {
    /// Journals and feeds that have to exist first.
    var topics: [TopicSpecification] = []
    var journals: [OutgoingEntry] = []
    var feeds: [OutgoingEntry] = []
    var commands: [OutgoingEntry] = []
    /// Whether a device's first entry is among the feeds': then the journals have to be acknowledged before.
    var hasRegistration = false
    /// How many notifications were made.
    var notificationCount = 0

    /// Whether there is nothing to write.
    var isEmpty: Bool { journals.isEmpty && feeds.isEmpty && commands.isEmpty && topics.isEmpty }
}

extension DeliveryOutputs {
    /// Adds what another entry of the same step made.
    mutating func add(_ other: DeliveryOutputs) {
        topics += other.topics
        journals += other.journals
        feeds += other.feeds
        commands += other.commands
        hasRegistration = hasRegistration || other.hasRegistration
        notificationCount += other.notificationCount
    }

    /// Adds an entry of a journal or feed.
    mutating func append(_ entry: FeedEntry, to topic: TopicName, isJournal: Bool) {
        let name = entry.source!.position
        let outgoing = OutgoingEntry(
            TopicPartition(topic), key: nil, value: entry.encoded(),
            headers: OperatorHeaders.make(
                type: entry.typeName, source: "\(name.source)", id: "\(name.offset).\(name.index)"),
            timestamp: LogTimestamp(milliseconds: entry.time))
        if isJournal { journals.append(outgoing) } else { feeds.append(outgoing) }
    }
}

extension FeedEntry {
    /// What the entry tells of, for operators.
    fileprivate var typeName: String {
        switch entry {
        case .query: "notification"
        case .omitted: "omitted"
        case .read: "read"
        case .badge: "badge"
        case .registered: "registered"
        case .unregistered: "unregistered"
        case nil: "unknown"
        }
    }
}
