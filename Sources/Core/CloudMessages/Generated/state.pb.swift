// Written by scripts/generate-messages from state.proto: change that file and run it again.
// swift-format-ignore-file

package import EventLog
package import ProtocolBuffers

/// A kind of courier that a device is registered for besides.
package struct CourierState: WireMessage {
    package var courier: String = ""
    /// The store's sequence of the entry in push-addresses since which it is.
    package var since: Int64 = 0

    package init() {}

    package init(
        courier: String = "",
        since: Int64 = 0
    ) {
        self.courier = courier
        self.since = since
    }

    package func encode(into writer: inout MessageWriter) {
        if !self.courier.isEmpty { writer.write(self.courier, field: 1) }
        if self.since != 0 { writer.write(self.since, as: Wire.Int64.self, field: 2) }
    }

    package mutating func decode(from reader: inout MessageReader) throws(MessageError) {
        while let field = try reader.nextField() {
            switch field {
            case 1: self.courier = try reader.string()
            case 2: self.since = try reader.read(Wire.Int64.self)
            default: try reader.skip()
            }
        }
    }
}

/// A device that is registered now.
package struct DeviceState: WireMessage {
    package var device: String = ""
    package var epoch: Int64 = 0
    package var badge: Int64 = 0
    /// Of versions in which stage 2 wrote a topic for each device: the source of its last entry. Not written.
    package var last: SourcePositionMessage?
    /// The kind of courier that its registration named; empty: none.
    package var courier: String = ""
    /// Of the same versions: the topic was gone, and was made again. Not written.
    package var beginsAgain: Bool = false
    /// The kinds with an address.
    package var couriers: [CourierState] = []
    /// Absent: the subscriptions' hold, by UTC.
    package var policies: DevicePoliciesMessage?

    package init() {}

    package init(
        device: String = "",
        epoch: Int64 = 0,
        badge: Int64 = 0,
        last: SourcePositionMessage? = nil,
        courier: String = "",
        beginsAgain: Bool = false,
        couriers: [CourierState] = [],
        policies: DevicePoliciesMessage? = nil
    ) {
        self.device = device
        self.epoch = epoch
        self.badge = badge
        self.last = last
        self.courier = courier
        self.beginsAgain = beginsAgain
        self.couriers = couriers
        self.policies = policies
    }

    package func encode(into writer: inout MessageWriter) {
        if !self.device.isEmpty { writer.write(self.device, field: 1) }
        if self.epoch != 0 { writer.write(self.epoch, as: Wire.Int64.self, field: 2) }
        if self.badge != 0 { writer.write(self.badge, as: Wire.Int64.self, field: 3) }
        if let value = self.last { writer.write(value, field: 4) }
        if !self.courier.isEmpty { writer.write(self.courier, field: 5) }
        if self.beginsAgain { writer.write(self.beginsAgain, as: Wire.Bool.self, field: 6) }
        writer.write(each: self.couriers, field: 7)
        if let value = self.policies { writer.write(value, field: 8) }
    }

    package mutating func decode(from reader: inout MessageReader) throws(MessageError) {
        while let field = try reader.nextField() {
            switch field {
            case 1: self.device = try reader.string()
            case 2: self.epoch = try reader.read(Wire.Int64.self)
            case 3: self.badge = try reader.read(Wire.Int64.self)
            case 4: try reader.read(into: &self.last)
            case 5: self.courier = try reader.string()
            case 6: self.beginsAgain = try reader.read(Wire.Bool.self)
            case 7: try reader.read(appendingTo: &self.couriers)
            case 8: try reader.read(into: &self.policies)
            default: try reader.skip()
            }
        }
    }
}

/// A notification that is held, with the changes that it stands for.
package struct HeldNotification: WireMessage {
    /// That of the last change.
    package var notification: QueryNotification?
    /// The time of the last change, in milliseconds since 1970 UTC.
    package var time: Int64 = 0
    /// The changes, in their order: the first 1,000.
    package var changes: [Int64] = []
    /// The number of further ones.
    package var more: Int64 = 0
    /// It adds one to badges when it is delivered.
    package var shouldBadge: Bool = false

    package init() {}

    package init(
        notification: QueryNotification? = nil,
        time: Int64 = 0,
        changes: [Int64] = [],
        more: Int64 = 0,
        shouldBadge: Bool = false
    ) {
        self.notification = notification
        self.time = time
        self.changes = changes
        self.more = more
        self.shouldBadge = shouldBadge
    }

    package func encode(into writer: inout MessageWriter) {
        if let value = self.notification { writer.write(value, field: 1) }
        if self.time != 0 { writer.write(self.time, as: Wire.Int64.self, field: 2) }
        writer.write(packed: self.changes, as: Wire.Int64.self, field: 3)
        if self.more != 0 { writer.write(self.more, as: Wire.Int64.self, field: 4) }
        if self.shouldBadge { writer.write(self.shouldBadge, as: Wire.Bool.self, field: 5) }
    }

    package mutating func decode(from reader: inout MessageReader) throws(MessageError) {
        while let field = try reader.nextField() {
            switch field {
            case 1: try reader.read(into: &self.notification)
            case 2: self.time = try reader.read(Wire.Int64.self)
            case 3: try reader.read(Wire.Int64.self, appendingTo: &self.changes)
            case 4: self.more = try reader.read(Wire.Int64.self)
            case 5: self.shouldBadge = try reader.read(Wire.Bool.self)
            default: try reader.skip()
            }
        }
    }
}

/// What a policy holds of one subscription: before the feed, or before the pushes to one device.
package struct HoldMessage: WireMessage {
    /// Empty: before the feed.
    package var device: String = ""
    package var epoch: Int64 = 0
    package var database: Int32 = 0
    package var subscription: String = ""
    /// Before the feed: the device that caused the changes, which is not notified.
    package var cause: String?
    package var causeEpoch: Int64?
    /// The one that holds it, as the last change had it.
    package var policy: PolicyMessage?
    /// Times by the log, in milliseconds since 1970 UTC: of the first change, and of the delivery.
    package var opened: Int64 = 0
    package var due: Int64 = 0
    package var held: [HeldNotification] = []
    /// The times of pushes of late, where the policy has a number for an hour.
    package var pushed: [Int64] = []
    /// The subscription's, as the last change had it; absent: none.
    package var own: PolicyMessage?

    package init() {}

    package init(
        device: String = "",
        epoch: Int64 = 0,
        database: Int32 = 0,
        subscription: String = "",
        cause: String? = nil,
        causeEpoch: Int64? = nil,
        policy: PolicyMessage? = nil,
        opened: Int64 = 0,
        due: Int64 = 0,
        held: [HeldNotification] = [],
        pushed: [Int64] = [],
        own: PolicyMessage? = nil
    ) {
        self.device = device
        self.epoch = epoch
        self.database = database
        self.subscription = subscription
        self.cause = cause
        self.causeEpoch = causeEpoch
        self.policy = policy
        self.opened = opened
        self.due = due
        self.held = held
        self.pushed = pushed
        self.own = own
    }

    package func encode(into writer: inout MessageWriter) {
        if !self.device.isEmpty { writer.write(self.device, field: 1) }
        if self.epoch != 0 { writer.write(self.epoch, as: Wire.Int64.self, field: 2) }
        if self.database != 0 { writer.write(self.database, as: Wire.Int32.self, field: 3) }
        if !self.subscription.isEmpty { writer.write(self.subscription, field: 4) }
        if let value = self.cause { writer.write(value, field: 5) }
        if let value = self.causeEpoch { writer.write(value, as: Wire.Int64.self, field: 6) }
        if let value = self.policy { writer.write(value, field: 7) }
        if self.opened != 0 { writer.write(self.opened, as: Wire.Int64.self, field: 8) }
        if self.due != 0 { writer.write(self.due, as: Wire.Int64.self, field: 9) }
        writer.write(each: self.held, field: 10)
        writer.write(packed: self.pushed, as: Wire.Int64.self, field: 11)
        if let value = self.own { writer.write(value, field: 12) }
    }

    package mutating func decode(from reader: inout MessageReader) throws(MessageError) {
        while let field = try reader.nextField() {
            switch field {
            case 1: self.device = try reader.string()
            case 2: self.epoch = try reader.read(Wire.Int64.self)
            case 3: self.database = try reader.read(Wire.Int32.self)
            case 4: self.subscription = try reader.string()
            case 5: self.cause = try reader.string()
            case 6: self.causeEpoch = try reader.read(Wire.Int64.self)
            case 7: try reader.read(into: &self.policy)
            case 8: self.opened = try reader.read(Wire.Int64.self)
            case 9: self.due = try reader.read(Wire.Int64.self)
            case 10: try reader.read(appendingTo: &self.held)
            case 11: try reader.read(Wire.Int64.self, appendingTo: &self.pushed)
            case 12: try reader.read(into: &self.own)
            default: try reader.skip()
            }
        }
    }
}

/// A topic that has to be deleted: its device was removed.
package struct PendingDeletion: WireMessage {
    package var device: String = ""
    package var epoch: Int64 = 0

    package init() {}

    package init(
        device: String = "",
        epoch: Int64 = 0
    ) {
        self.device = device
        self.epoch = epoch
    }

    package func encode(into writer: inout MessageWriter) {
        if !self.device.isEmpty { writer.write(self.device, field: 1) }
        if self.epoch != 0 { writer.write(self.epoch, as: Wire.Int64.self, field: 2) }
    }

    package mutating func decode(from reader: inout MessageReader) throws(MessageError) {
        while let field = try reader.nextField() {
            switch field {
            case 1: self.device = try reader.string()
            case 2: self.epoch = try reader.read(Wire.Int64.self)
            default: try reader.skip()
            }
        }
    }
}

/// A fired-once subscription that has fired.
package struct SpentSubscription: WireMessage {
    /// The sequence of its creation.
    package var created: Int64 = 0
    /// The sequence of the change that it fired on.
    package var fired: Int64 = 0

    package init() {}

    package init(
        created: Int64 = 0,
        fired: Int64 = 0
    ) {
        self.created = created
        self.fired = fired
    }

    package func encode(into writer: inout MessageWriter) {
        if self.created != 0 { writer.write(self.created, as: Wire.Int64.self, field: 1) }
        if self.fired != 0 { writer.write(self.fired, as: Wire.Int64.self, field: 2) }
    }

    package mutating func decode(from reader: inout MessageReader) throws(MessageError) {
        while let field = try reader.nextField() {
            switch field {
            case 1: self.created = try reader.read(Wire.Int64.self)
            case 2: self.fired = try reader.read(Wire.Int64.self)
            default: try reader.skip()
            }
        }
    }
}

/// A day on which the user had hits, and the highest sequence that they had come to by its end: read marks and spent
/// subscriptions up to it are forgotten once there were many later days.
package struct Checkpoint: WireMessage {
    /// Milliseconds since 1970 UTC.
    package var time: Int64 = 0
    package var sequence: Int64 = 0

    package init() {}

    package init(
        time: Int64 = 0,
        sequence: Int64 = 0
    ) {
        self.time = time
        self.sequence = sequence
    }

    package func encode(into writer: inout MessageWriter) {
        if self.time != 0 { writer.write(self.time, as: Wire.Int64.self, field: 1) }
        if self.sequence != 0 { writer.write(self.sequence, as: Wire.Int64.self, field: 2) }
    }

    package mutating func decode(from reader: inout MessageReader) throws(MessageError) {
        while let field = try reader.nextField() {
            switch field {
            case 1: self.time = try reader.read(Wire.Int64.self)
            case 2: self.sequence = try reader.read(Wire.Int64.self)
            default: try reader.skip()
            }
        }
    }
}

/// How far the share of one partition of changes has come.
package struct BackfillShare: WireMessage {
    package var partition: Int32 = 0
    /// The offset of the last change in it whose hit came.
    package var seen: Int64 = 0
    package var isDone: Bool = false
    /// The offset in deliveries of the first hit of a later change of the partition that is held back.
    package var heldFrom: Int64?

    package init() {}

    package init(
        partition: Int32 = 0,
        seen: Int64 = 0,
        isDone: Bool = false,
        heldFrom: Int64? = nil
    ) {
        self.partition = partition
        self.seen = seen
        self.isDone = isDone
        self.heldFrom = heldFrom
    }

    package func encode(into writer: inout MessageWriter) {
        if self.partition != 0 { writer.write(self.partition, as: Wire.Int32.self, field: 1) }
        if self.seen != 0 { writer.write(self.seen, as: Wire.Int64.self, field: 2) }
        if self.isDone { writer.write(self.isDone, as: Wire.Bool.self, field: 3) }
        if let value = self.heldFrom { writer.write(value, as: Wire.Int64.self, field: 4) }
    }

    package mutating func decode(from reader: inout MessageReader) throws(MessageError) {
        while let field = try reader.nextField() {
            switch field {
            case 1: self.partition = try reader.read(Wire.Int32.self)
            case 2: self.seen = try reader.read(Wire.Int64.self)
            case 3: self.isDone = try reader.read(Wire.Bool.self)
            case 4: self.heldFrom = try reader.read(Wire.Int64.self)
            default: try reader.skip()
            }
        }
    }
}

/// Held hits that are due.
package struct BackfillRelease: WireMessage {
    /// The offsets in deliveries to go on from, and of the entry that ended the holding.
    package var next: Int64 = 0
    package var end: Int64 = 0
    /// The index of the next output, which is named by that entry.
    package var index: Int32 = 0
    /// The last source position of delivered held hits, of each source.
    package var seen: [SourcePositionMessage] = []

    package init() {}

    package init(
        next: Int64 = 0,
        end: Int64 = 0,
        index: Int32 = 0,
        seen: [SourcePositionMessage] = []
    ) {
        self.next = next
        self.end = end
        self.index = index
        self.seen = seen
    }

    package func encode(into writer: inout MessageWriter) {
        if self.next != 0 { writer.write(self.next, as: Wire.Int64.self, field: 1) }
        if self.end != 0 { writer.write(self.end, as: Wire.Int64.self, field: 2) }
        if self.index != 0 { writer.write(self.index, as: Wire.Int32.self, field: 3) }
        writer.write(each: self.seen, field: 4)
    }

    package mutating func decode(from reader: inout MessageReader) throws(MessageError) {
        while let field = try reader.nextField() {
            switch field {
            case 1: self.next = try reader.read(Wire.Int64.self)
            case 2: self.end = try reader.read(Wire.Int64.self)
            case 3: self.index = try reader.read(Wire.Int32.self)
            case 4: try reader.read(appendingTo: &self.seen)
            default: try reader.skip()
            }
        }
    }
}

/// A subscription with an open backfill.
package struct BackfillState: WireMessage {
    /// The sequence of its creation.
    package var created: Int64 = 0
    /// How many partitions of changes each have a share; 0 once it was deleted.
    package var partitions: Int32 = 0
    package var shares: [BackfillShare] = []
    /// The offset in deliveries of the first hit that is held back, of any partition: an older version goes by it.
    package var heldFrom: Int64?
    /// The user's release, where all shares are done: an older version goes by it.
    package var release: BackfillRelease?
    /// The database of its changes.
    package var database: Int32 = 0

    package init() {}

    package init(
        created: Int64 = 0,
        partitions: Int32 = 0,
        shares: [BackfillShare] = [],
        heldFrom: Int64? = nil,
        release: BackfillRelease? = nil,
        database: Int32 = 0
    ) {
        self.created = created
        self.partitions = partitions
        self.shares = shares
        self.heldFrom = heldFrom
        self.release = release
        self.database = database
    }

    package func encode(into writer: inout MessageWriter) {
        if self.created != 0 { writer.write(self.created, as: Wire.Int64.self, field: 1) }
        if self.partitions != 0 { writer.write(self.partitions, as: Wire.Int32.self, field: 2) }
        writer.write(each: self.shares, field: 3)
        if let value = self.heldFrom { writer.write(value, as: Wire.Int64.self, field: 4) }
        if let value = self.release { writer.write(value, field: 5) }
        if self.database != 0 { writer.write(self.database, as: Wire.Int32.self, field: 6) }
    }

    package mutating func decode(from reader: inout MessageReader) throws(MessageError) {
        while let field = try reader.nextField() {
            switch field {
            case 1: self.created = try reader.read(Wire.Int64.self)
            case 2: self.partitions = try reader.read(Wire.Int32.self)
            case 3: try reader.read(appendingTo: &self.shares)
            case 4: self.heldFrom = try reader.read(Wire.Int64.self)
            case 5: try reader.read(into: &self.release)
            case 6: self.database = try reader.read(Wire.Int32.self)
            default: try reader.skip()
            }
        }
    }
}

/// What delivery knows of a user.
package struct UserState: WireMessage {
    /// The source of the journal's last entry; absent while it has none.
    package var journal: SourcePositionMessage?
    package var devices: [DeviceState] = []
    /// Sequences of the changes whose notifications were marked as read: distances between ascending, alternating starts
    /// and ends of ranges.
    package var read: [UInt64] = []
    /// Fired-once subscriptions that have fired.
    package var spent: [SpentSubscription] = []
    package var checkpoints: [Checkpoint] = []
    /// The store's sequence of the user's last device event that was applied.
    package var applied: Int64 = 0
    /// Of the same versions: topics that were to be deleted. Not written.
    package var pending: [PendingDeletion] = []
    package var backfills: [BackfillState] = []
    /// Present while held hits are due: those of shares that are done.
    package var release: BackfillRelease?
    /// The bytes of notifications that were taken of the user's rate and have not come back at rate_time, in milliseconds
    /// since 1970 UTC by the log; both 0 where none are.
    package var rateBytes: Int64 = 0
    package var rateTime: Int64 = 0
    /// Present once the user was removed: the days of the partition up to then. Late entries write nothing. The state goes
    /// when there were many later days.
    package var removed: Int64?
    package var holds: [HoldMessage] = []
    /// The time of the ScheduleDelivery that was written last and whose DeliveryDue has not come; absent: none.
    package var scheduled: Int64?

    package init() {}

    package init(
        journal: SourcePositionMessage? = nil,
        devices: [DeviceState] = [],
        read: [UInt64] = [],
        spent: [SpentSubscription] = [],
        checkpoints: [Checkpoint] = [],
        applied: Int64 = 0,
        pending: [PendingDeletion] = [],
        backfills: [BackfillState] = [],
        release: BackfillRelease? = nil,
        rateBytes: Int64 = 0,
        rateTime: Int64 = 0,
        removed: Int64? = nil,
        holds: [HoldMessage] = [],
        scheduled: Int64? = nil
    ) {
        self.journal = journal
        self.devices = devices
        self.read = read
        self.spent = spent
        self.checkpoints = checkpoints
        self.applied = applied
        self.pending = pending
        self.backfills = backfills
        self.release = release
        self.rateBytes = rateBytes
        self.rateTime = rateTime
        self.removed = removed
        self.holds = holds
        self.scheduled = scheduled
    }

    package func encode(into writer: inout MessageWriter) {
        if let value = self.journal { writer.write(value, field: 1) }
        writer.write(each: self.devices, field: 2)
        writer.write(packed: self.read, as: Wire.UInt64.self, field: 3)
        writer.write(each: self.spent, field: 4)
        writer.write(each: self.checkpoints, field: 5)
        if self.applied != 0 { writer.write(self.applied, as: Wire.Int64.self, field: 6) }
        writer.write(each: self.pending, field: 7)
        writer.write(each: self.backfills, field: 20)
        if self.rateBytes != 0 { writer.write(self.rateBytes, as: Wire.Int64.self, field: 24) }
        if self.rateTime != 0 { writer.write(self.rateTime, as: Wire.Int64.self, field: 25) }
        if let value = self.release { writer.write(value, field: 26) }
        if let value = self.removed { writer.write(value, as: Wire.Int64.self, field: 27) }
        writer.write(each: self.holds, field: 28)
        if let value = self.scheduled { writer.write(value, as: Wire.Int64.self, field: 29) }
    }

    package mutating func decode(from reader: inout MessageReader) throws(MessageError) {
        while let field = try reader.nextField() {
            switch field {
            case 1: try reader.read(into: &self.journal)
            case 2: try reader.read(appendingTo: &self.devices)
            case 3: try reader.read(Wire.UInt64.self, appendingTo: &self.read)
            case 4: try reader.read(appendingTo: &self.spent)
            case 5: try reader.read(appendingTo: &self.checkpoints)
            case 6: self.applied = try reader.read(Wire.Int64.self)
            case 7: try reader.read(appendingTo: &self.pending)
            case 20: try reader.read(appendingTo: &self.backfills)
            case 24: self.rateBytes = try reader.read(Wire.Int64.self)
            case 25: self.rateTime = try reader.read(Wire.Int64.self)
            case 26: try reader.read(into: &self.release)
            case 27: self.removed = try reader.read(Wire.Int64.self)
            case 28: try reader.read(appendingTo: &self.holds)
            case 29: self.scheduled = try reader.read(Wire.Int64.self)
            default: try reader.skip()
            }
        }
    }
}

/// From an offset of deliveries on, outputs have names of their own: the log was restored, and journals may have other
/// outputs under the names of before.
package struct NameGeneration: WireMessage {
    package var from: Int64 = 0
    /// Random, not 0; a part of the incarnation in the names.
    package var number: UInt64 = 0

    package init() {}

    package init(
        from: Int64 = 0,
        number: UInt64 = 0
    ) {
        self.from = from
        self.number = number
    }

    package func encode(into writer: inout MessageWriter) {
        if self.from != 0 { writer.write(self.from, as: Wire.Int64.self, field: 1) }
        if self.number != 0 { writer.write(self.number, as: Wire.Fixed64.self, field: 2) }
    }

    package mutating func decode(from reader: inout MessageReader) throws(MessageError) {
        while let field = try reader.nextField() {
            switch field {
            case 1: self.from = try reader.read(Wire.Int64.self)
            case 2: self.number = try reader.read(Wire.Fixed64.self)
            default: try reader.skip()
            }
        }
    }
}

/// What a partition of deliveries has been read to.
package struct PartitionState: WireMessage {
    /// The last source position seen of each source.
    package var seen: [SourcePositionMessage] = []
    /// The offset after the last entry that was applied.
    package var next: Int64 = 0
    /// Which topic of that name the offset counts in; 0 where nobody noted it.
    package var incarnation: UInt64 = 0
    /// Some of the entries before the offset, the latest first: the history that the offset counts in.
    package var marks: [EntryMarkMessage] = []
    /// How often the topic had lost entries that were applied: entries written since have names of their own.
    package var losses: Int64 = 0
    /// The number of days that entries were of, and the last of them, in days since 1970 UTC.
    package var days: Int64 = 0
    package var lastDay: Int64 = 0
    /// In the order of their offsets.
    package var generations: [NameGeneration] = []

    package init() {}

    package init(
        seen: [SourcePositionMessage] = [],
        next: Int64 = 0,
        incarnation: UInt64 = 0,
        marks: [EntryMarkMessage] = [],
        losses: Int64 = 0,
        days: Int64 = 0,
        lastDay: Int64 = 0,
        generations: [NameGeneration] = []
    ) {
        self.seen = seen
        self.next = next
        self.incarnation = incarnation
        self.marks = marks
        self.losses = losses
        self.days = days
        self.lastDay = lastDay
        self.generations = generations
    }

    package func encode(into writer: inout MessageWriter) {
        writer.write(each: self.seen, field: 1)
        if self.next != 0 { writer.write(self.next, as: Wire.Int64.self, field: 2) }
        if self.incarnation != 0 { writer.write(self.incarnation, as: Wire.Fixed64.self, field: 3) }
        writer.write(each: self.marks, field: 4)
        if self.losses != 0 { writer.write(self.losses, as: Wire.Int64.self, field: 5) }
        if self.days != 0 { writer.write(self.days, as: Wire.Int64.self, field: 6) }
        if self.lastDay != 0 { writer.write(self.lastDay, as: Wire.Int64.self, field: 7) }
        writer.write(each: self.generations, field: 8)
    }

    package mutating func decode(from reader: inout MessageReader) throws(MessageError) {
        while let field = try reader.nextField() {
            switch field {
            case 1: try reader.read(appendingTo: &self.seen)
            case 2: self.next = try reader.read(Wire.Int64.self)
            case 3: self.incarnation = try reader.read(Wire.Fixed64.self)
            case 4: try reader.read(appendingTo: &self.marks)
            case 5: self.losses = try reader.read(Wire.Int64.self)
            case 6: self.days = try reader.read(Wire.Int64.self)
            case 7: self.lastDay = try reader.read(Wire.Int64.self)
            case 8: try reader.read(appendingTo: &self.generations)
            default: try reader.skip()
            }
        }
    }
}
