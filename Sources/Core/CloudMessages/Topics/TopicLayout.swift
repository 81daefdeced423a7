package import CloudModel
package import EventLog

/// The topics of one container's environment: their names, keys, partitions and configuration (docs/delivery.md).
package struct TopicLayout: Hashable, Sendable {
    /// The container and environment whose topics these are.
    package let scope: ContainerEnvironment
    /// Partitions of every keyed topic. Fixed for a container's life: keys find their partition by it.
    package let partitions: Int32
    /// The times that entries are kept.
    package let retention: Retention
    /// True where devices have topics made from `journals`, by a stage of its own.
    package let hasFeedTopics: Bool

    /// The prefix of all topics' names.
    package let prefix: String
    /// Each save and deletion of a subscription.
    package let subscriptions: TopicName
    /// Hits and device events, by user.
    package let deliveries: TopicName

    /// The number of partitions unless a setting says otherwise.
    package static let partitionsDefault: Int32 = 12

    package init(
        _ scope: ContainerEnvironment, partitions: Int32 = partitionsDefault, retention: Retention = Retention(),
        feedTopics: Bool = false
    ) {
        self.scope = scope
        self.partitions = partitions
        self.retention = retention
        hasFeedTopics = feedTopics
        prefix = "\(scope)."
        subscriptions = TopicName(prefix + "subscriptions")
        deliveries = TopicName(prefix + "deliveries")
    }

    /// Every committed change of a database.
    package func changes(_ database: DatabaseScope) -> TopicName { name("changes.\(database)") }
    /// The state that delivery keeps of each user; partition for partition beside `deliveries`.
    package var deliveryState: TopicName { name("delivery-state") }
    /// Requests of delivery to the record service.
    package var commands: TopicName { name("commands") }
    /// Every notification for a device with an address of pushes, by user.
    package var pushes: TopicName { name("pushes") }
    /// The state that push senders keep of each device; partition for partition beside `pushes`.
    package var pushState: TopicName { name("push-state") }
    /// The addresses of pushes, sealed, by user, device and kind; partition for partition beside `pushes`.
    package var pushAddresses: TopicName { name("push-addresses") }
    /// Entries of the other topics at which a process died or that could not be read.
    package var poison: TopicName { name("poison") }
    /// The identity record: store, log and topics that belong together.
    package var identity: TopicName { name("identity") }
    /// All users' journals; partition for partition beside `deliveries`.
    package var journals: TopicName { name("journals") }
    /// The topic of a user's journal in containers of an earlier layout.
    package func journal(_ user: UserRecordName) -> TopicName { name("journal.\(user)") }
    /// The topic of a device: a copy of its user's journal, from the first retained entry.
    package func feed(_ device: DeviceID, _ epoch: DeviceEpoch) -> TopicName { name("feed.\(device).\(epoch)") }

    /// The state of the stage that makes devices' topics; partition for partition beside `journals`.
    package var feedState: TopicName { name("feed-state") }

    /// The group whose members share the partitions of `journals`: the stage that makes devices' topics.
    package var feedTopicsGroup: GroupName { GroupName("\(prefix)feed-topics") }

    /// The group whose members share the partitions of `pushes`: push senders.
    package var pushGroup: GroupName { GroupName("\(prefix)push-sender") }

    /// The group whose members share the partitions of `changes.*`: stage 1.
    package var matchingGroup: GroupName { GroupName("\(prefix)subscription-matcher") }

    /// The group whose members share the partitions of `deliveries`: stage 2.
    package var deliveryGroup: GroupName { GroupName("\(prefix)notification-delivery") }

    /// The prefix of the groups of devices' readers.
    package var readersPrefix: String { prefix + "device." }

    /// The group of a device's readers on Kafka, and the partitions: a committed offset in one says that there is a
    /// reader. The first is that of the layout; readers with another `feed-topics` commit in the second.
    package func readers(
        of device: DeviceID, _ epoch: DeviceEpoch, _ user: UserRecordName
    ) -> (group: GroupName, partitions: [TopicPartition]) {
        let partitions = [TopicPartition(feed(device, epoch)), journals(of: user)]
        return (
            GroupName("\(readersPrefix)\(device).\(epoch)"), hasFeedTopics ? partitions : partitions.reversed()
        )
    }

    /// The prefix of all journals' names.
    package var journalPrefix: String { prefix + "journal." }

    /// The prefix of all feeds' names.
    package var feedPrefix: String { prefix + "feed." }

    /// Reads a feed's name back; nil when it is no feed of this layout.
    package func feedIdentity(_ topic: TopicName) -> (device: DeviceID, epoch: DeviceEpoch)? {
        guard topic.rawValue.hasPrefix(feedPrefix) else { return nil }
        let rest = topic.rawValue.dropFirst(feedPrefix.count)
        guard let dot = rest.lastIndex(of: "."), let epoch = Int64(rest[rest.index(after: dot)...]) else { return nil }
        return (DeviceID(trusted: String(rest[..<dot])), DeviceEpoch(epoch))
    }

    /// The topic's name without the container's prefix, as source positions carry it.
    package func shortName(_ topic: TopicName) -> String { String(topic.rawValue.dropFirst(prefix.count)) }

    /// The topics that exist before anything else happens; `topics init` makes them.
    package var fixedTopics: [TopicSpecification] {
        DatabaseScope.allCases.map {
            specification(changes($0), partitions, .delete(afterMilliseconds: retention.changes), isSource: true)
        } + [
            specification(subscriptions, 1, .compact, isSource: true),
            specification(
                deliveries, partitions, .delete(afterMilliseconds: retention.deliveries), isSource: true),
            specification(deliveryState, partitions, .compact, isSource: true),
            specification(
                commands, partitions, .delete(afterMilliseconds: retention.deliveries), isSource: true),
            specification(
                pushes, partitions, .delete(afterMilliseconds: retention.pushes), isSource: true),
            specification(pushState, partitions, .compact, isSource: true),
            specification(pushAddresses, partitions, .compact, isSource: true),
            specification(poison, 1, .compact, isSource: true),
            specification(identity, 1, .compact, isSource: true),
            journalsSpecification,
        ] + (hasFeedTopics ? [feedStateSpecification] : [])
    }

    /// All users' journals in one topic.
    package var journalsSpecification: TopicSpecification {
        specification(journals, partitions, .delete(afterMilliseconds: retention.feeds), isSource: true)
    }

    /// No source: lost, it is made again from `journals`.
    private var feedStateSpecification: TopicSpecification { specification(feedState, partitions, .compact) }

    /// A device's topic, to be made before its first entry.
    package func feedSpecification(_ device: DeviceID, _ epoch: DeviceEpoch) -> TopicSpecification {
        feedSpecification(feed(device, epoch))
    }

    /// A device's topic by its name.
    package func feedSpecification(_ name: TopicName) -> TopicSpecification {
        var wish = specification(name, 1, .delete(afterMilliseconds: retention.feeds))
        wish.replicatedAs = deliveries
        return wish
    }

    private func name(_ suffix: String) -> TopicName { TopicName(prefix + suffix) }

    private func specification(
        _ name: TopicName, _ partitions: Int32, _ cleanup: TopicSpecification.Cleanup, isSource: Bool = false
    ) -> TopicSpecification {
        TopicSpecification(
            name: name, partitions: partitions, cleanup: cleanup, messageBytesMax: Limits.messageBytesMax,
            isSource: isSource)
    }
}
