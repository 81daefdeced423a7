import CloudMessages
import CloudModel
import EventLog
import ProtocolBuffers
import Telemetry

/// One entry's work on a user: the state as it changes, the outputs so far, and their names. The state outside stays as
/// it was until the step is done.
struct UserStep {
    /// The user's state, with the step's changes.
    var delivery: UserDelivery
    /// The entries that the step writes.
    var outputs = DeliveryOutputs()
    /// The time of the change or event that outputs are of: the entry's.
    private(set) var time: Timestamp
    /// The time that the log gave the entry.
    let logged: LogTimestamp

    /// The entry's place in `deliveries`.
    private let source: SourcePosition
    private var index: Int32
    /// The indices of the step's last entry of the journal and last notification in `pushes`; nil before them.
    private var journaled: Int32?
    private var pushed: Int32?
    /// The place in the trace that the entry carries, which all outputs carry on.
    private let traceparent: String?

    /// - Parameters:
    ///     - source: the entry's position in `deliveries`, with the index of the first output.
    ///     - entry: the entry, if it is of a change.
    ///     - logged: the time that the log gave the entry; nil takes `time`.
    init(
        _ delivery: UserDelivery, time: Timestamp, source: SourcePosition, of entry: DeliveryEntry? = nil,
        logged: LogTimestamp? = nil
    ) {
        self.delivery = delivery
        self.time = time
        self.logged = logged ?? LogTimestamp(time)
        self.source = source
        index = source.index
        if case .hits(let hits)? = entry?.event, !hits.trace.isEmpty {
            traceparent = TraceContext(hits.trace)?.traceparent
        } else {
            traceparent = nil
        }
    }

    /// The device that caused the event, in its epoch; empty if no device of the user did.
    struct Cause {
        var device: DeviceID?
        var epoch: DeviceEpoch?

        /// Returns true for the device that caused the event, which is not notified.
        func isSelf(_ device: UserDelivery.Device) -> Bool { device.id == self.device && device.epoch == epoch }
    }

    /// The name of the current outputs: the same in the journal, in `pushes` and `commands`.
    var name: SourcePosition { SourcePosition(source: source.source, offset: source.offset, index: index) }

    /// Does something as of another time than the entry's: that of a change that was held.
    mutating func at(_ time: Int64, _ body: (inout UserStep) -> Void) {
        let present = self.time
        self.time = Timestamp(milliseconds: time)
        body(&self)
        self.time = present
    }

    /// Goes on to the next name.
    mutating func advance() { index += 1 }

    /// Takes the current name for an entry of the journal, before the pushes of it.
    private mutating func nameEntry() {
        assert(journaled != index && pushed != index, "advance() is missing: readers would take \(name) for a repeat")
        journaled = index
    }

    /// Takes the current name for a push.
    /// - Parameter isAlone: true without an entry of the journal.
    mutating func namePush(isAlone: Bool) {
        assert(pushed != index && (journaled == index) != isAlone, "advance() is missing or too early: \(name)")
        pushed = index
    }

    /// Appends to the journal.
    mutating func appendToJournal(_ content: FeedEntry.Entry, by cause: Cause) {
        nameEntry()
        let entry = FeedEntry(
            source: SourcePositionMessage(name), predecessor: delivery.journal.map { SourcePositionMessage($0) },
            user: delivery.user.rawValue, time: time.milliseconds, device: cause.device?.rawValue,
            epoch: cause.epoch?.rawValue, entry: content)
        outputs.journals.append(
            OutgoingEntry(
                delivery.layout.journals(of: delivery.user), key: delivery.layout.userKey(delivery.user),
                value: entry.encoded(), headers: headers(entry.typeName), timestamp: LogTimestamp(time)))
        delivery.journal = name
    }

    /// Appends the entry that removes those before it.
    mutating func emptyJournal() {
        outputs.journals.append(
            OutgoingEntry(
                delivery.layout.journals(of: delivery.user), key: delivery.layout.userKey(delivery.user), value: nil,
                headers: headers("userRemoved"), timestamp: LogTimestamp(time)))
    }

    /// Asks the record service to delete a subscription that has fired once.
    mutating func deleteSubscription(of hit: Hit) {
        append(
            .deleteSubscription(
                DeleteSubscription(
                    user: delivery.user.rawValue, database: hit.database, id: hit.subscription, created: hit.created)),
            about: DatabaseScope(rawValue: hit.database) ?? .public)
    }

    /// Notifies the record service of backfills that are delivered.
    mutating func noteDelivered(backfills created: [Int64]) {
        append(
            .backfillsDelivered(BackfillsDelivered(user: delivery.user.rawValue, created: created)), about: .public)
        advance()
    }

    /// Has an event for the user published after a while.
    mutating func scheduleDelivery(at time: Int64, delay: Int64) {
        append(
            .scheduleDelivery(ScheduleDelivery(user: delivery.user.rawValue, at: time, delay: delay)), about: .public)
        advance()
    }

    private mutating func append(_ content: Command.Command, about database: DatabaseScope) {
        let layout = delivery.layout
        let command = Command(source: SourcePositionMessage(name), command: content)
        let key = layout.commandKey(database)
        outputs.commands.append(
            OutgoingEntry(
                TopicPartition(layout.commands, layout.partition(of: key)), key: key, value: command.encoded(),
                headers: headers("command"), timestamp: LogTimestamp(time)))
    }

    /// Counts a notification.
    mutating func countNotification() { outputs.notificationCount += 1 }

    func headers(_ type: String, named name: SourcePosition? = nil) -> [LogHeader] {
        let name = name ?? self.name
        return OperatorHeaders.make(
            type: type, source: "\(name.source)", id: "\(name.offset).\(name.index)", traceparent: traceparent)
    }
}

extension FeedEntry {
    /// The type in the headers, for operators.
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
