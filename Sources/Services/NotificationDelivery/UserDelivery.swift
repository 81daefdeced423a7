import CloudMessages
import CloudModel
import EventLog

/// Delivery's state machine of one user: takes what happened, in the order of `deliveries`, and says what goes into the
/// journal and the feeds. Pure; the same inputs give the same outputs, whoever runs it again.
struct UserDelivery {
    /// Read marks and spent subscriptions are forgotten this long after what they are about: the default retention of
    /// feeds, and part of the message version, as outputs depend on it. Milliseconds.
    static let memoryMilliseconds = Retention.days(90)
    /// Ranges of read marks and spent subscriptions that are remembered at most. Counted, and counted where one is added,
    /// because outputs depend on it: what is forgotten must not depend on how the input was cut into batches. A range
    /// takes 8 bytes or so, a spent subscription at most 22; both together stay well under `Limits.userStateBytesMax`.
    static let readRangesMax = 40_000
    static let spentMax = 10_000

    struct Device {
        var id: DeviceID
        var epoch: DeviceEpoch
        var badge: Int64
        /// The source of the last entry of its feed.
        var last: SourcePosition
    }

    struct Pending: Hashable {
        var device: DeviceID
        var epoch: DeviceEpoch
    }

    let user: UserRecordName
    let layout: TopicLayout
    /// The source of the journal's last entry; nil while there is no journal.
    var journal: SourcePosition?
    var devices: [Device] = []
    var read = SequenceSet()
    var spent: [SpentSubscription] = []
    var checkpoints: [Checkpoint] = []
    var applied: Int64 = 0
    /// Feeds of removed devices whose topics have to be deleted.
    var pending: [Pending] = []

    init(user: UserRecordName, layout: TopicLayout) {
        self.user = user
        self.layout = layout
    }

    /// Applies one entry.
    /// - Parameter source: the entry's place in `deliveries`, which names the outputs.
    mutating func apply(_ entry: DeliveryEntry, at source: SourcePosition, _ outputs: inout DeliveryOutputs) throws {
        guard let name = entry.source?.position else { throw MalformedMessage("an entry without a source") }
        let time = Timestamp(milliseconds: entry.time)
        var writer = FeedWriter(time: time, source: source)
        switch entry.event {
        case .hits(let hits)?: try apply(hits, &writer, &outputs)
        case .registered(let event)?: register(event, &writer, &outputs)
        case .unregistered(let event)?: unregister(event, &writer, &outputs)
        case .read(let event)?: markRead(event, &writer, &outputs)
        case .badge(let event)?: setBadge(event, &writer, &outputs)
        case nil: throw MalformedMessage("an entry without an event that this version knows")
        }
        if name.source.origin == "store" { applied = max(applied, name.offset) }
        remember(entry, time)
    }

    /// The topic of a removed device is gone.
    mutating func deleted(_ pending: Pending) { self.pending.removeAll { $0 == pending } }

    /// Forgets what is about changes that are older than the memory. One checkpoint a day is enough for it.
    private mutating func remember(_ entry: DeliveryEntry, _ time: Timestamp) {
        guard case .hits(let hits)? = entry.event else { return }
        let day = time.milliseconds / Retention.days(1)
        if let last = checkpoints.last, last.time / Retention.days(1) >= day {
            checkpoints[checkpoints.count - 1] = Checkpoint(
                time: max(last.time, time.milliseconds), sequence: max(last.sequence, hits.change))
        } else {
            checkpoints.append(Checkpoint(time: time.milliseconds, sequence: hits.change))
        }
        // A time that nobody lives in forgets nothing.
        let (start, isBeforeAll) = time.milliseconds.subtractingReportingOverflow(Self.memoryMilliseconds)
        while !isBeforeAll, let oldest = checkpoints.first, oldest.time < start {
            read.remove(through: CommitSequence(oldest.sequence))
            spent.removeAll { $0.fired <= oldest.sequence }
            checkpoints.removeFirst()
        }
    }
}

/// Names the entries that one input makes: its place, and a number for each.
struct FeedWriter {
    let time: Timestamp
    let source: SourcePosition
    private(set) var index: Int32 = 0

    init(time: Timestamp, source: SourcePosition) {
        self.time = time
        self.source = source
    }

    /// The name of the current entries: the same in the journal and in all feeds.
    var name: SourcePosition { SourcePosition(source: source.source, offset: source.offset, index: index) }

    /// Goes on to the next name.
    mutating func advance() { index += 1 }
}
