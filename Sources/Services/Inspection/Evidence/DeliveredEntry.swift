import CloudMessages
import CloudModel
import EventLog
import ProtocolBuffers

/// An entry of a journal, without what its notification shows.
struct DeliveredEntry {
    /// A subscription that is recorded to have fired on a change.
    struct Subject: Hashable {
        var change: CommitSequence
        var database: Int32
        var subscription: String

        init(change: CommitSequence, database: Int32, subscription: String) {
            self.change = change
            self.database = database
            self.subscription = subscription
        }

        init(_ change: CommitSequence, _ key: SubscriptionKey) {
            self.init(change: change, database: key.database.rawValue, subscription: key.id.rawValue)
        }

        /// The subscription alone.
        var anyChange: Self { Self(change: .zero, database: database, subscription: subscription) }
    }

    /// The content of the entry.
    enum Content: Hashable {
        case fired(Subject)
        /// A subscription that is recorded to have fired on a change before its creation, in its backfill.
        case past(Subject, created: CommitSequence)
        /// So many more subscriptions fired on a change.
        case omitted(CommitSequence, count: Int32)
        /// The rest of the backfills of so many subscriptions was left out, from a change on.
        case rest(CommitSequence, count: Int32)
        case read(CommitSequence)
        case registered(device: String, epoch: Int64)
        /// A badge that was set, a device that was removed.
        case event
        /// An entry that cannot be read.
        case unreadable
    }

    var offset: Int64
    var name: SourcePosition
    var predecessor: SourcePosition?
    var user: String
    var time: Timestamp
    /// The time of its append.
    var appended: Timestamp
    /// The device that caused it.
    var device: String?
    var epoch: Int64?
    var content: Content
    /// By a policy it stands for these changes, too.
    var covered: [CommitSequence] = []
    /// The partition of changes by the record's key; nil for an entry without a change.
    var partition: TopicPartition?

    init(_ entry: LogEntry, _ layout: TopicLayout) {
        offset = entry.offset
        appended = Timestamp(milliseconds: entry.appended.milliseconds)
        let message = entry.value.flatMap { try? FeedEntry(decoding: $0) }
        let none = SourcePosition(source: SourceID(origin: "", incarnation: 0, partition: 0), offset: -1)
        name = message?.source?.position ?? none
        predecessor = message?.predecessor?.position
        user = message?.user ?? ""
        time = Timestamp(milliseconds: message?.time ?? 0)
        device = message?.device
        epoch = message?.epoch
        switch message?.entry {
        case .query(let query)?:
            let subject = Subject(
                change: CommitSequence(query.change), database: query.database, subscription: query.subscription)
            content =
                query.isBackfilled
                ? .past(subject, created: CommitSequence(query.backfill)) : .fired(subject)
            covered = query.covered.map { CommitSequence($0) }
            partition = Self.partition(query.database, query.zone, query.recordName, layout)
        case .omitted(let omitted)?:
            let change = CommitSequence(omitted.change)
            content =
                omitted.isRest ? .rest(change, count: omitted.count) : .omitted(change, count: omitted.count)
            partition = Self.partition(omitted.database, omitted.zone, omitted.recordName, layout)
        case .read(let mark)?: content = .read(CommitSequence(mark.change))
        case .registered(let mark)?: content = .registered(device: mark.device, epoch: mark.epoch)
        case .badge?, .unregistered?: content = .event
        case nil: content = .unreadable
        }
    }

    /// The change and subscription of the entry, if the change came after the subscription.
    var subject: Subject? {
        if case .fired(let subject) = content { subject } else { nil }
    }

    /// The change and subscription of the entry, and the subscription's creation, if the change came before.
    var past: (subject: Subject, created: CommitSequence)? {
        if case .past(let subject, let created) = content { (subject, created) } else { nil }
    }

    /// The entry once for each change that it stands for. Where the others were is not known.
    var each: [DeliveredEntry] {
        guard let subject, !covered.isEmpty else { return [self] }
        return covered.map { change in
            var one = self
            var other = subject
            other.change = change
            one.content = .fired(other)
            one.partition = nil
            return one
        } + [self]
    }

    /// Returns true if it notifies of a change, or stands for it.
    func standsFor(_ change: CommitSequence) -> Bool {
        (subject ?? past?.subject)?.change == change || covered.contains(change)
    }

    /// The change that it is about.
    var change: CommitSequence? {
        switch content {
        case .fired(let subject), .past(let subject, _): subject.change
        case .omitted(let change, _), .rest(let change, _), .read(let change): change
        case .registered, .event, .unreadable: nil
        }
    }

    /// True of what a topic has once.
    var isOnce: Bool { subject != nil || past.map { $0.created > .zero } ?? false }

    /// Returns true if a device that reads the journal is notified of it.
    func concerns(_ device: String, _ epoch: Int64) -> Bool {
        switch content {
        case .fired, .past, .omitted, .rest: self.device != device || self.epoch != epoch
        // A device is not notified of its own mark, whatever its epoch was.
        case .read: self.device != device
        case .registered, .event, .unreadable: false
        }
    }

    private static func partition(
        _ database: Int32, _ zone: ZoneMessage?, _ record: String, _ layout: TopicLayout
    ) -> TopicPartition? {
        guard let database = DatabaseScope(rawValue: database), let zone = zone?.zoneID else { return nil }
        let key =
            database == .public
            ? Array("\(zone.name.rawValue)\u{0}\(record)".utf8) : Array(zone.owner.rawValue.utf8)
        return TopicPartition(layout.changes(database), layout.partition(of: key))
    }
}
