import CloudMessages
import CloudModel
import EventLog

/// Delivery's state machine of one user: takes events in the order of `deliveries`, and returns the entries of the
/// journal and of `pushes`. Pure: the same inputs give the same outputs in every run. `UserStep` has the effect of each
/// event.
struct UserDelivery {
    /// Days with hits that read marks and spent subscriptions are remembered for: one more than the default retention of
    /// feeds, as the first and the last of them are cut. Part of the message version, as outputs depend on it.
    static let memoryDays = 91
    /// Read ranges and spent subscriptions that are remembered at most. Counted when one is added, because outputs
    /// depend on it: the forgotten ones must not depend on how the input was cut into batches. A range takes about 8
    /// bytes, a spent subscription at most 22; together they stay well under `Limits.userStateBytesMax`.
    static let readRangesMax = 40_000
    static let spentMax = 10_000

    /// A registered device.
    struct Device {
        var id: DeviceID
        var epoch: DeviceEpoch
        var badge: Int64
        /// The kinds of courier that push to it, one of each.
        var couriers: [Courier] = []
        /// The policies that the user chose for it; nil for none.
        var policies: DevicePolicies?

        /// The couriers that push to an address of the device, and not the one that its client polls.
        var addresses: [Courier] { couriers.filter { $0.since != nil } }
    }

    /// A kind of courier that a device is registered for.
    struct Courier: Hashable {
        var kind: CourierKind
        /// The sequence of the address's entry in `push-addresses`; nil if the registration of the device named the kind,
        /// which has no address there.
        var since: CommitSequence?
    }

    let user: UserRecordName
    let layout: TopicLayout
    /// The source of the journal's last entry; nil while it has none.
    var journal: SourcePosition?
    var devices: [Device] = []
    var read = SequenceSet()
    var spent: [SpentSubscription] = []
    var checkpoints: [Checkpoint] = []
    var applied: Int64 = 0
    /// Subscriptions with an open backfill.
    var backfills: [BackfillState] = []
    /// The progress in held hits that are due; nil if none are.
    var release: BackfillRelease?
    /// The days of the partition up to the user's removal; nil while the user is there.
    var removed: Int64?
    /// The bytes of notifications of late.
    var rate = NotificationRate()
    /// Notifications that policies hold.
    var holds: [HoldMessage] = []
    /// The time for which a delivery was scheduled; nil if none is.
    var scheduled: Int64?

    init(user: UserRecordName, layout: TopicLayout) {
        self.user = user
        self.layout = layout
    }

    /// Applies one entry. One that throws may leave half of it here: the caller keeps the state from before.
    /// - Parameters:
    ///   - source: the entry's position in `deliveries`, which names the outputs.
    ///   - logged: the time that the log gave the entry.
    ///   - days: the days of the partition so far.
    /// - Returns: the outputs.
    mutating func apply(
        _ entry: DeliveryEntry, at source: SourcePosition, logged: LogTimestamp, days: Int64 = 0
    ) throws -> DeliveryOutputs {
        guard let name = entry.source?.position else { throw MalformedMessage("an entry without a source") }
        // Hits may come after the removal: stage 1 had matched them before.
        guard removed == nil else {
            noteApplied(name)
            return DeliveryOutputs()
        }
        rate.advance(to: logged)
        var step = UserStep(
            self, time: Timestamp(milliseconds: entry.time), source: source, of: entry, logged: logged)
        switch entry.event {
        case .hits(let hits)? where hits.backfill != 0: try step.deliverPast(hits, named: name)
        case .hits(let hits)?: try step.apply(step.holdingBack(hits, named: name))
        case .backfillBegun(let event)?: step.begin(event)
        case .backfillShareDone(let event)?:
            step.endShares(of: [event.created], partition: event.partition ?? name.source.partition)
        case .backfillSharesDone(let event)?: step.endShares(of: event.created, partition: event.partition)
        case .backfillCancelled(let event)?: step.endHolding(of: event.created)
        case .registered(let event)?: step.register(event)
        case .unregistered(let event)?: step.unregister(event)
        case .courierChanged(let event)?: step.changeCourier(event)
        case .read(let event)?: step.markRead(event)
        case .badge(let event)?: step.setBadge(event)
        case .policiesChanged(let event)?: step.changePolicies(event)
        case .deliveryDue?: break
        case .userRemoved?: step.removeUser(days: days)
        case .sharedHits?, .pastHits?, nil: throw MalformedMessage("an entry without an event that this version knows")
        }
        if case .deliveryDue(let event)? = entry.event { step.deliverDue(at: event.at) } else { step.deliverDue() }
        // Held hits that this entry let go are named after its own outputs.
        let next = step.name.index
        step.delivery.release?.index = next
        self = step.delivery
        noteApplied(name)
        remember(entry, step.time)
        return step.outputs
    }

    /// Notes that an event of the store is applied.
    private mutating func noteApplied(_ name: SourcePosition) {
        if name.source.origin == "store" { applied = max(applied, name.offset) }
    }

    /// Returns true if a removed user's state has been kept for long enough.
    /// - Parameter days: the days of the partition so far.
    func isOver(at days: Int64) -> Bool {
        removed.map { days - $0 > Int64(Self.memoryDays) } ?? false
    }

    /// Forgets facts about changes of all days but the last ones. Days are counted, and no time is subtracted from
    /// another: a clock that leaps by years makes one more day. It makes no earlier one, as a day that does not follow
    /// the last one counts as the last one.
    private mutating func remember(_ entry: DeliveryEntry, _ time: Timestamp) {
        guard case .hits(let hits)? = entry.event else { return }
        if let last = checkpoints.last, Self.day(of: time.milliseconds) <= Self.day(of: last.time) {
            checkpoints[checkpoints.count - 1] = Checkpoint(
                time: max(last.time, time.milliseconds), sequence: max(last.sequence, hits.change))
        } else {
            checkpoints.append(Checkpoint(time: time.milliseconds, sequence: hits.change))
        }
        while checkpoints.count > Self.memoryDays {
            let oldest = checkpoints.removeFirst()
            read.remove(through: CommitSequence(oldest.sequence))
            spent.removeAll { $0.fired <= oldest.sequence }
        }
    }

    private static func day(of milliseconds: Int64) -> Int64 { milliseconds / Retention.days(1) }
}
