package import CloudMessages
import CloudModel
import Continuity
package import EventLog
package import Feeds
import ProtocolBuffers
package import RecordStore

/// Turns a stopped container's environment into one that an earlier version made: each user's journal is a topic, each
/// device has a topic, and there is no topic `journals`.
package struct FormerTopics: Sendable {
    private let log: any EventLog
    private let layout: TopicLayout

    /// - Parameter log: without views of journals before it.
    package init(log: any EventLog, layout: TopicLayout) {
        self.log = log
        self.layout = layout
    }

    /// Writes the former topics, deletes `journals`, and takes it out of the identity record.
    /// - Parameter store: that of the container, which has a copy of the record.
    package func write(in store: any RecordStore) async throws {
        var users: [UserRecordName: User] = [:]
        for number in 0..<layout.partitions {
            try await log.readToEnd(of: TopicPartition(layout.journals, number)) { entry in
                guard let key = entry.key else { return }
                let user = UserRecordName(key: key)
                try users[user, default: User()].take(entry)
            }
        }
        try await log.withWriter { writer in
            for (name, user) in users where !user.journal.isEmpty {
                try await write(user.journal, to: layout.journal(name), writer)
                for feed in user.feeds {
                    try await write(feed.entries, to: layout.feed(feed.device, feed.epoch), writer)
                }
            }
        }
        if let error = try await log.deleteTopics([layout.journals])[layout.journals] { throw error }
        // Brokers delete a topic some time after the request.
        try await eventually("the end of \(layout.journals)") { [log, layout] in
            try await log.describeTopics([layout.journals]).isEmpty
        }
        try await forgetJournals(in: store)
    }

    /// The entries of a former topic, each with the place behind it that change tokens of an earlier version have.
    package func places(
        _ part: FeedPosition.Part, in topic: TopicName
    ) async throws -> [(entry: FeedEntry, behind: FeedPosition)] {
        let name = try await log.identity()
        var places: [(entry: FeedEntry, behind: FeedPosition)] = []
        var position = LogPosition(offset: 0)
        try await log.readToEnd(of: TopicPartition(topic)) { entry in
            guard let value = entry.value else { return }
            let read = try FeedEntry(decoding: value)
            if let source = read.source?.position { _ = position.advance(to: source) }
            position.offset = entry.offset + 1
            let behind = FeedPosition(
                part: part, position: position, log: name, fingerprint: value.stableHash(),
                time: Timestamp(milliseconds: read.time))
            places.append((entry: read, behind: behind))
        }
        return places
    }

    private func write(_ entries: [LogEntry], to topic: TopicName, _ writer: any LogWriter) async throws {
        try await log.requireTopics([layout.feedSpecification(topic)])
        try await writer.append(
            entries.map {
                OutgoingEntry(
                    TopicPartition(topic), key: nil, value: $0.value, headers: $0.headers, timestamp: $0.timestamp)
            })
    }

    private func forgetJournals(in store: any RecordStore) async throws {
        let topic = IdentityTopic(log: log, layout: layout)
        let time = LogTimestamp(milliseconds: 0)
        guard var record = try await topic.recordAsOwner(at: time) else { return }
        record.log.topics[layout.shortName(layout.journals)] = nil
        let entry = topic.entry(record, at: time)
        try await log.withWriter { try await $0.append([entry]) }
        let copy = record.encoded
        try await store.write { try $0.setPosition(copy, of: "identity") }
    }

    /// The topics of one user.
    private struct User {
        var journal: [LogEntry] = []
        var feeds: [Feed] = []

        /// Takes the next entry of `journals`.
        mutating func take(_ entry: LogEntry) throws {
            guard let value = entry.value else {
                self = User()
                return
            }
            var read = try FeedEntry(decoding: value)
            var badges: [DeviceBadge] = []
            if case .query(var notification)? = read.entry {
                badges = notification.badges
                notification.badges = []
                read.entry = .query(notification)
            }
            var former = entry
            former.value = read.encoded()
            journal.append(former)
            if case .registered(let mark)? = read.entry {
                feeds.removeAll { $0.device.rawValue == mark.device }
                feeds.append(Feed(device: DeviceID(trusted: mark.device), epoch: DeviceEpoch(mark.epoch)))
            } else if case .unregistered(let mark)? = read.entry {
                feeds.removeAll { $0.device.rawValue == mark.device && $0.epoch.rawValue == mark.epoch }
            }
            for index in feeds.indices { feeds[index].take(read, badges, of: entry) }
        }
    }

    /// The topic of a device.
    private struct Feed {
        let device: DeviceID
        let epoch: DeviceEpoch
        var entries: [LogEntry] = []
        private var last: SourcePositionMessage?

        init(device: DeviceID, epoch: DeviceEpoch) {
            self.device = device
            self.epoch = epoch
        }

        /// Takes the next entry of the journal, if it is one for the device.
        mutating func take(_ read: FeedEntry, _ badges: [DeviceBadge], of entry: LogEntry) {
            let isOwn = read.device == device.rawValue && read.epoch == epoch.rawValue
            var read = read
            switch read.entry {
            // Its mark names the entry of the journal before it.
            case .registered?: guard isOwn else { return }
            case .omitted?: guard !isOwn else { return }
            case .read?: guard read.device != device.rawValue else { return }
            case .query(var notification)?:
                guard !isOwn else { return }
                notification.badge =
                    badges.first { $0.device == device.rawValue && $0.epoch == epoch.rawValue }?.badge
                read.entry = .query(notification)
            case .badge?, .unregistered?, nil: return
            }
            read.predecessor = last
            last = read.source
            var copy = entry
            copy.value = read.encoded()
            entries.append(copy)
        }
    }
}
