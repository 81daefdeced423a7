import EventLog

/// The entries that a step of delivery writes before it commits.
struct DeliveryOutputs {
    /// Journals and feeds that have to exist first.
    var topics: [TopicSpecification] = []
    var journals: [OutgoingEntry] = []
    var feeds: [OutgoingEntry] = []
    var commands: [OutgoingEntry] = []
    /// Entries of `pushes`, written after the feeds are acknowledged: a courier finds in the feed what it is told of.
    var pushes: [OutgoingEntry] = []
    /// True when a device's first entry is among the feeds': then the journals have to be acknowledged before.
    var hasRegistration = false
    /// Notifications that were made.
    var notificationCount = 0

    /// True when there is nothing to write. Pushes never come without entries of journals.
    var isEmpty: Bool { journals.isEmpty && feeds.isEmpty && commands.isEmpty && topics.isEmpty }

    /// Adds the outputs of another entry of the same step.
    mutating func add(_ other: DeliveryOutputs) {
        topics += other.topics
        journals += other.journals
        feeds += other.feeds
        commands += other.commands
        pushes += other.pushes
        hasRegistration = hasRegistration || other.hasRegistration
        notificationCount += other.notificationCount
    }

    /// Leaves out what belongs into journals and feeds that cannot be made.
    mutating func drop(_ refused: Set<TopicName>) {
        topics.removeAll { refused.contains($0.name) }
        journals.removeAll { refused.contains($0.partition.topic) }
        feeds.removeAll { refused.contains($0.partition.topic) }
    }

    /// The journals and feeds that have to be there before the outputs are written, but for those that they make.
    var existingTopics: Set<TopicName> {
        Set((journals + feeds).map(\.partition.topic)).subtracting(topics.map(\.name))
    }
}
