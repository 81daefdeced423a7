// Written by scripts/generate-messages from delivery.proto: change that file and run it again.
// swift-format-ignore-file

package import EventLog
package import ProtocolBuffers

/// One subscription of the user that a change satisfied, with what its notification carries.
package struct Hit: WireMessage {
    package var database: Int32 = 0
    package var subscription: String = ""
    /// The sequence of the subscription's creation.
    package var created: Int64 = 0
    package var firesOnce: Bool = false
    package var shouldBadge: Bool = false
    package var alertBody: String?
    /// The fields that additionalFields asked for and the record has.
    package var fields: [FieldMessage] = []
    /// Absent: nothing but alert_body.
    package var appearance: AppearanceMessage?
    /// The kind of the subscription: 0 query, 2 zone, 3 database.
    package var kind: Int32 = 0
    /// In shared_hits: the number of the look in looks, counted from 1, that stands for alert_body, fields and appearance;
    /// 0: they are the hit's own.
    package var look: Int32 = 0
    /// The subscription's; absent: the change is notified at once.
    package var policy: PolicyMessage?

    package init() {}

    package init(
        database: Int32 = 0,
        subscription: String = "",
        created: Int64 = 0,
        firesOnce: Bool = false,
        shouldBadge: Bool = false,
        alertBody: String? = nil,
        fields: [FieldMessage] = [],
        appearance: AppearanceMessage? = nil,
        kind: Int32 = 0,
        look: Int32 = 0,
        policy: PolicyMessage? = nil
    ) {
        self.database = database
        self.subscription = subscription
        self.created = created
        self.firesOnce = firesOnce
        self.shouldBadge = shouldBadge
        self.alertBody = alertBody
        self.fields = fields
        self.appearance = appearance
        self.kind = kind
        self.look = look
        self.policy = policy
    }

    package func encode(into writer: inout MessageWriter) {
        if self.database != 0 { writer.write(self.database, as: Wire.Int32.self, field: 1) }
        if !self.subscription.isEmpty { writer.write(self.subscription, field: 2) }
        if self.created != 0 { writer.write(self.created, as: Wire.Int64.self, field: 3) }
        if self.firesOnce { writer.write(self.firesOnce, as: Wire.Bool.self, field: 4) }
        if self.shouldBadge { writer.write(self.shouldBadge, as: Wire.Bool.self, field: 5) }
        if let value = self.alertBody { writer.write(value, field: 6) }
        writer.write(each: self.fields, field: 7)
        if let value = self.appearance { writer.write(value, field: 20) }
        if self.kind != 0 { writer.write(self.kind, as: Wire.Int32.self, field: 40) }
        if self.look != 0 { writer.write(self.look, as: Wire.Int32.self, field: 41) }
        if let value = self.policy { writer.write(value, field: 42) }
    }

    package mutating func decode(from reader: inout MessageReader) throws(MessageError) {
        while let field = try reader.nextField() {
            switch field {
            case 1: self.database = try reader.read(Wire.Int32.self)
            case 2: self.subscription = try reader.string()
            case 3: self.created = try reader.read(Wire.Int64.self)
            case 4: self.firesOnce = try reader.read(Wire.Bool.self)
            case 5: self.shouldBadge = try reader.read(Wire.Bool.self)
            case 6: self.alertBody = try reader.string()
            case 7: try reader.read(appendingTo: &self.fields)
            case 20: try reader.read(into: &self.appearance)
            case 40: self.kind = try reader.read(Wire.Int32.self)
            case 41: self.look = try reader.read(Wire.Int32.self)
            case 42: try reader.read(into: &self.policy)
            default: try reader.skip()
            }
        }
    }
}

/// What several hits of an entry show in common.
package struct HitLook: WireMessage {
    package var alertBody: String?
    package var fields: [FieldMessage] = []
    package var appearance: AppearanceMessage?

    package init() {}

    package init(
        alertBody: String? = nil,
        fields: [FieldMessage] = [],
        appearance: AppearanceMessage? = nil
    ) {
        self.alertBody = alertBody
        self.fields = fields
        self.appearance = appearance
    }

    package func encode(into writer: inout MessageWriter) {
        if let value = self.alertBody { writer.write(value, field: 1) }
        writer.write(each: self.fields, field: 2)
        if let value = self.appearance { writer.write(value, field: 3) }
    }

    package mutating func decode(from reader: inout MessageReader) throws(MessageError) {
        while let field = try reader.nextField() {
            switch field {
            case 1: self.alertBody = try reader.string()
            case 2: try reader.read(appendingTo: &self.fields)
            case 3: try reader.read(into: &self.appearance)
            default: try reader.skip()
            }
        }
    }
}

/// The hits of one change for one user; many hits are split over several entries.
package struct HitsMessage: WireMessage {
    /// The sequence of the change.
    package var change: Int64 = 0
    package var kind: Int32 = 0
    /// Empty, as the name, when the zone itself was created or deleted.
    package var recordType: String = ""
    package var recordName: String = ""
    package var zone: ZoneMessage?
    package var origin: OriginMessage?
    package var hits: [Hit] = []
    /// The hits of the user on the same change in entries before this one, and their bytes.
    package var first: Int32 = 0
    package var bytesBefore: Int64 = 0
    /// In the last of the user's entries of the change: how many hits are not carried, as the user has too many.
    package var omitted: Int32 = 0
    /// The sequence of the creation of a subscription in whose backfill the change is; 0 in hits of changes after it. In
    /// past_hits each hit is of the backfill of its own subscription.
    package var backfill: Int64 = 0
    /// As in the change.
    package var trace: [UInt8] = []
    /// The database of the subscriptions that are only counted, where no hit says it.
    package var database: Int32 = 0
    /// In shared_hits and past_hits: what more than one hit shows.
    package var looks: [HitLook] = []
    /// In past_hits: the creations of the subscriptions that also fired and are only counted, of which omitted is the
    /// number.
    package var leftOut: [Int64] = []
    /// In past_hits: this change and the later ones of the backfills of those in left_out are left out.
    package var isRest: Bool = false

    package init() {}

    package init(
        change: Int64 = 0,
        kind: Int32 = 0,
        recordType: String = "",
        recordName: String = "",
        zone: ZoneMessage? = nil,
        origin: OriginMessage? = nil,
        hits: [Hit] = [],
        first: Int32 = 0,
        bytesBefore: Int64 = 0,
        omitted: Int32 = 0,
        backfill: Int64 = 0,
        trace: [UInt8] = [],
        database: Int32 = 0,
        looks: [HitLook] = [],
        leftOut: [Int64] = [],
        isRest: Bool = false
    ) {
        self.change = change
        self.kind = kind
        self.recordType = recordType
        self.recordName = recordName
        self.zone = zone
        self.origin = origin
        self.hits = hits
        self.first = first
        self.bytesBefore = bytesBefore
        self.omitted = omitted
        self.backfill = backfill
        self.trace = trace
        self.database = database
        self.looks = looks
        self.leftOut = leftOut
        self.isRest = isRest
    }

    package func encode(into writer: inout MessageWriter) {
        if self.change != 0 { writer.write(self.change, as: Wire.Int64.self, field: 1) }
        if self.kind != 0 { writer.write(self.kind, as: Wire.Int32.self, field: 2) }
        if !self.recordType.isEmpty { writer.write(self.recordType, field: 3) }
        if !self.recordName.isEmpty { writer.write(self.recordName, field: 4) }
        if let value = self.zone { writer.write(value, field: 5) }
        if let value = self.origin { writer.write(value, field: 6) }
        writer.write(each: self.hits, field: 7)
        if self.first != 0 { writer.write(self.first, as: Wire.Int32.self, field: 8) }
        if self.bytesBefore != 0 { writer.write(self.bytesBefore, as: Wire.Int64.self, field: 9) }
        if self.omitted != 0 { writer.write(self.omitted, as: Wire.Int32.self, field: 10) }
        if self.backfill != 0 { writer.write(self.backfill, as: Wire.Int64.self, field: 11) }
        if !self.trace.isEmpty { writer.write(self.trace, field: 12) }
        if self.database != 0 { writer.write(self.database, as: Wire.Int32.self, field: 20) }
        writer.write(each: self.looks, field: 21)
        writer.write(packed: self.leftOut, as: Wire.Int64.self, field: 22)
        if self.isRest { writer.write(self.isRest, as: Wire.Bool.self, field: 23) }
    }

    package mutating func decode(from reader: inout MessageReader) throws(MessageError) {
        while let field = try reader.nextField() {
            switch field {
            case 1: self.change = try reader.read(Wire.Int64.self)
            case 2: self.kind = try reader.read(Wire.Int32.self)
            case 3: self.recordType = try reader.string()
            case 4: self.recordName = try reader.string()
            case 5: try reader.read(into: &self.zone)
            case 6: try reader.read(into: &self.origin)
            case 7: try reader.read(appendingTo: &self.hits)
            case 8: self.first = try reader.read(Wire.Int32.self)
            case 9: self.bytesBefore = try reader.read(Wire.Int64.self)
            case 10: self.omitted = try reader.read(Wire.Int32.self)
            case 11: self.backfill = try reader.read(Wire.Int64.self)
            case 12: self.trace = try reader.bytes()
            case 20: self.database = try reader.read(Wire.Int32.self)
            case 21: try reader.read(appendingTo: &self.looks)
            case 22: try reader.read(Wire.Int64.self, appendingTo: &self.leftOut)
            case 23: self.isRest = try reader.read(Wire.Bool.self)
            default: try reader.skip()
            }
        }
    }
}

/// A device began its life of this epoch.
package struct DeviceRegistered: WireMessage {
    package var device: String = ""
    /// The sequence of the registration.
    package var epoch: Int64 = 0
    package var name: String = ""
    package var platform: String = ""
    /// The kind of courier that pushes to the device; empty: none.
    package var courier: String = ""

    package init() {}

    package init(
        device: String = "",
        epoch: Int64 = 0,
        name: String = "",
        platform: String = "",
        courier: String = ""
    ) {
        self.device = device
        self.epoch = epoch
        self.name = name
        self.platform = platform
        self.courier = courier
    }

    package func encode(into writer: inout MessageWriter) {
        if !self.device.isEmpty { writer.write(self.device, field: 1) }
        if self.epoch != 0 { writer.write(self.epoch, as: Wire.Int64.self, field: 2) }
        if !self.name.isEmpty { writer.write(self.name, field: 3) }
        if !self.platform.isEmpty { writer.write(self.platform, field: 4) }
        if !self.courier.isEmpty { writer.write(self.courier, field: 5) }
    }

    package mutating func decode(from reader: inout MessageReader) throws(MessageError) {
        while let field = try reader.nextField() {
            switch field {
            case 1: self.device = try reader.string()
            case 2: self.epoch = try reader.read(Wire.Int64.self)
            case 3: self.name = try reader.string()
            case 4: self.platform = try reader.string()
            case 5: self.courier = try reader.string()
            default: try reader.skip()
            }
        }
    }
}

/// A device was removed.
package struct DeviceUnregistered: WireMessage {
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

/// A device was registered for a kind of courier that sends to an address, or is so no longer.
package struct CourierChanged: WireMessage {
    package var device: String = ""
    package var epoch: Int64 = 0
    /// The kind of courier.
    package var courier: String = ""
    /// The sequence of the address's entry in push-addresses; 0: it was removed.
    package var since: Int64 = 0

    package init() {}

    package init(
        device: String = "",
        epoch: Int64 = 0,
        courier: String = "",
        since: Int64 = 0
    ) {
        self.device = device
        self.epoch = epoch
        self.courier = courier
        self.since = since
    }

    package func encode(into writer: inout MessageWriter) {
        if !self.device.isEmpty { writer.write(self.device, field: 1) }
        if self.epoch != 0 { writer.write(self.epoch, as: Wire.Int64.self, field: 2) }
        if !self.courier.isEmpty { writer.write(self.courier, field: 3) }
        if self.since != 0 { writer.write(self.since, as: Wire.Int64.self, field: 4) }
    }

    package mutating func decode(from reader: inout MessageReader) throws(MessageError) {
        while let field = try reader.nextField() {
            switch field {
            case 1: self.device = try reader.string()
            case 2: self.epoch = try reader.read(Wire.Int64.self)
            case 3: self.courier = try reader.string()
            case 4: self.since = try reader.read(Wire.Int64.self)
            default: try reader.skip()
            }
        }
    }
}

/// Notifications were marked as read on a device.
package struct NotificationsRead: WireMessage {
    package var device: String = ""
    /// The sequences of the changes that the notifications are about.
    package var changes: [Int64] = []

    package init() {}

    package init(
        device: String = "",
        changes: [Int64] = []
    ) {
        self.device = device
        self.changes = changes
    }

    package func encode(into writer: inout MessageWriter) {
        if !self.device.isEmpty { writer.write(self.device, field: 1) }
        writer.write(packed: self.changes, as: Wire.Int64.self, field: 2)
    }

    package mutating func decode(from reader: inout MessageReader) throws(MessageError) {
        while let field = try reader.nextField() {
            switch field {
            case 1: self.device = try reader.string()
            case 2: try reader.read(Wire.Int64.self, appendingTo: &self.changes)
            default: try reader.skip()
            }
        }
    }
}

/// The badge was set on a device.
package struct BadgeSet: WireMessage {
    package var device: String = ""
    package var value: Int64 = 0

    package init() {}

    package init(
        device: String = "",
        value: Int64 = 0
    ) {
        self.device = device
        self.value = value
    }

    package func encode(into writer: inout MessageWriter) {
        if !self.device.isEmpty { writer.write(self.device, field: 1) }
        if self.value != 0 { writer.write(self.value, as: Wire.Int64.self, field: 2) }
    }

    package mutating func decode(from reader: inout MessageReader) throws(MessageError) {
        while let field = try reader.nextField() {
            switch field {
            case 1: self.device = try reader.string()
            case 2: self.value = try reader.read(Wire.Int64.self)
            default: try reader.skip()
            }
        }
    }
}

/// A subscription with a backfill was created: its other hits are held until the backfill is over.
package struct BackfillBegun: WireMessage {
    /// The sequence of its creation.
    package var created: Int64 = 0
    /// How many partitions of changes each have a share of it.
    package var partitions: Int32 = 0
    /// The database of its changes.
    package var database: Int32 = 0

    package init() {}

    package init(
        created: Int64 = 0,
        partitions: Int32 = 0,
        database: Int32 = 0
    ) {
        self.created = created
        self.partitions = partitions
        self.database = database
    }

    package func encode(into writer: inout MessageWriter) {
        if self.created != 0 { writer.write(self.created, as: Wire.Int64.self, field: 1) }
        if self.partitions != 0 { writer.write(self.partitions, as: Wire.Int32.self, field: 2) }
        if self.database != 0 { writer.write(self.database, as: Wire.Int32.self, field: 3) }
    }

    package mutating func decode(from reader: inout MessageReader) throws(MessageError) {
        while let field = try reader.nextField() {
            switch field {
            case 1: self.created = try reader.read(Wire.Int64.self)
            case 2: self.partitions = try reader.read(Wire.Int32.self)
            case 3: self.database = try reader.read(Wire.Int32.self)
            default: try reader.skip()
            }
        }
    }
}

/// All hits of the past that one partition of changes has are in entries before this one.
package struct BackfillShareDone: WireMessage {
    package var created: Int64 = 0
    /// The partition; absent: that of the entry's name.
    package var partition: Int32?

    package init() {}

    package init(
        created: Int64 = 0,
        partition: Int32? = nil
    ) {
        self.created = created
        self.partition = partition
    }

    package func encode(into writer: inout MessageWriter) {
        if self.created != 0 { writer.write(self.created, as: Wire.Int64.self, field: 1) }
        if let value = self.partition { writer.write(value, as: Wire.Int32.self, field: 2) }
    }

    package mutating func decode(from reader: inout MessageReader) throws(MessageError) {
        while let field = try reader.nextField() {
            switch field {
            case 1: self.created = try reader.read(Wire.Int64.self)
            case 2: self.partition = try reader.read(Wire.Int32.self)
            default: try reader.skip()
            }
        }
    }
}

/// The same of several subscriptions.
package struct BackfillSharesDone: WireMessage {
    package var created: [Int64] = []
    package var partition: Int32 = 0

    package init() {}

    package init(
        created: [Int64] = [],
        partition: Int32 = 0
    ) {
        self.created = created
        self.partition = partition
    }

    package func encode(into writer: inout MessageWriter) {
        writer.write(packed: self.created, as: Wire.Int64.self, field: 1)
        if self.partition != 0 { writer.write(self.partition, as: Wire.Int32.self, field: 2) }
    }

    package mutating func decode(from reader: inout MessageReader) throws(MessageError) {
        while let field = try reader.nextField() {
            switch field {
            case 1: try reader.read(Wire.Int64.self, appendingTo: &self.created)
            case 2: self.partition = try reader.read(Wire.Int32.self)
            default: try reader.skip()
            }
        }
    }
}

/// The subscription was deleted: its backfill ends.
package struct BackfillCancelled: WireMessage {
    package var created: Int64 = 0

    package init() {}

    package init(
        created: Int64 = 0
    ) {
        self.created = created
    }

    package func encode(into writer: inout MessageWriter) {
        if self.created != 0 { writer.write(self.created, as: Wire.Int64.self, field: 1) }
    }

    package mutating func decode(from reader: inout MessageReader) throws(MessageError) {
        while let field = try reader.nextField() {
            switch field {
            case 1: self.created = try reader.read(Wire.Int64.self)
            default: try reader.skip()
            }
        }
    }
}

/// The user was removed for good: nothing of the user's comes after this.
package struct UserRemoved: WireMessage {

    package init() {}

    package func encode(into writer: inout MessageWriter) {
    }

    package mutating func decode(from reader: inout MessageReader) throws(MessageError) {
        while try reader.nextField() != nil { try reader.skip() }
    }
}

/// The user chose policies for a device.
package struct PoliciesChanged: WireMessage {
    package var device: String = ""
    package var epoch: Int64 = 0
    package var policies: DevicePoliciesMessage?

    package init() {}

    package init(
        device: String = "",
        epoch: Int64 = 0,
        policies: DevicePoliciesMessage? = nil
    ) {
        self.device = device
        self.epoch = epoch
        self.policies = policies
    }

    package func encode(into writer: inout MessageWriter) {
        if !self.device.isEmpty { writer.write(self.device, field: 1) }
        if self.epoch != 0 { writer.write(self.epoch, as: Wire.Int64.self, field: 2) }
        if let value = self.policies { writer.write(value, field: 3) }
    }

    package mutating func decode(from reader: inout MessageReader) throws(MessageError) {
        while let field = try reader.nextField() {
            switch field {
            case 1: self.device = try reader.string()
            case 2: self.epoch = try reader.read(Wire.Int64.self)
            case 3: try reader.read(into: &self.policies)
            default: try reader.skip()
            }
        }
    }
}

/// Held notifications of the user are due: those that were to be delivered up to a time.
package struct DeliveryDue: WireMessage {
    /// As ScheduleDelivery named it.
    package var at: Int64 = 0

    package init() {}

    package init(
        at: Int64 = 0
    ) {
        self.at = at
    }

    package func encode(into writer: inout MessageWriter) {
        if self.at != 0 { writer.write(self.at, as: Wire.Int64.self, field: 1) }
    }

    package mutating func decode(from reader: inout MessageReader) throws(MessageError) {
        while let field = try reader.nextField() {
            switch field {
            case 1: self.at = try reader.read(Wire.Int64.self)
            default: try reader.skip()
            }
        }
    }
}

/// One entry: hits from stage 1, or a device event from the record-service.
package struct DeliveryEntry: WireMessage {
    /// The store's sequence of a change or of a device event. Earlier builds named hits by the position in changes.*.
    package var source: SourcePositionMessage?
    package var user: String = ""
    /// The time of the change or of the device event, in milliseconds since 1970 UTC.
    package var time: Int64 = 0
    package var event: Event?
    /// The offset of the change in its topic, where hits are named by the change's sequence: for operators.
    package var place: Int64 = 0
    /// The incarnation of that topic, where a build that named hits by it may have written the same ones: a reader that
    /// has seen that name drops the entry.
    package var formerly: UInt64 = 0

    package init() {}

    package init(
        source: SourcePositionMessage? = nil,
        user: String = "",
        time: Int64 = 0,
        event: Event? = nil,
        place: Int64 = 0,
        formerly: UInt64 = 0
    ) {
        self.source = source
        self.user = user
        self.time = time
        self.event = event
        self.place = place
        self.formerly = formerly
    }

    package func encode(into writer: inout MessageWriter) {
        if let value = self.source { writer.write(value, field: 1) }
        if !self.user.isEmpty { writer.write(self.user, field: 2) }
        if self.time != 0 { writer.write(self.time, as: Wire.Int64.self, field: 3) }
        if case .hits(let value)? = self.event { writer.write(value, field: 4) }
        if case .registered(let value)? = self.event { writer.write(value, field: 5) }
        if case .unregistered(let value)? = self.event { writer.write(value, field: 6) }
        if case .read(let value)? = self.event { writer.write(value, field: 7) }
        if case .badge(let value)? = self.event { writer.write(value, field: 8) }
        if case .backfillBegun(let value)? = self.event { writer.write(value, field: 9) }
        if case .backfillShareDone(let value)? = self.event { writer.write(value, field: 10) }
        if case .backfillCancelled(let value)? = self.event { writer.write(value, field: 11) }
        if case .sharedHits(let value)? = self.event { writer.write(value, field: 20) }
        if case .pastHits(let value)? = self.event { writer.write(value, field: 21) }
        if case .backfillSharesDone(let value)? = self.event { writer.write(value, field: 22) }
        if case .courierChanged(let value)? = self.event { writer.write(value, field: 23) }
        if self.place != 0 { writer.write(self.place, as: Wire.Int64.self, field: 24) }
        if self.formerly != 0 { writer.write(self.formerly, as: Wire.Fixed64.self, field: 25) }
        if case .userRemoved(let value)? = self.event { writer.write(value, field: 26) }
        if case .policiesChanged(let value)? = self.event { writer.write(value, field: 27) }
        if case .deliveryDue(let value)? = self.event { writer.write(value, field: 28) }
    }

    package mutating func decode(from reader: inout MessageReader) throws(MessageError) {
        while let field = try reader.nextField() {
            switch field {
            case 1: try reader.read(into: &self.source)
            case 2: self.user = try reader.string()
            case 3: self.time = try reader.read(Wire.Int64.self)
            case 4:
                var value = HitsMessage()
                if case .hits(let current)? = self.event { value = current }
                try reader.read(into: &value)
                self.event = .hits(value)
            case 5:
                var value = DeviceRegistered()
                if case .registered(let current)? = self.event { value = current }
                try reader.read(into: &value)
                self.event = .registered(value)
            case 6:
                var value = DeviceUnregistered()
                if case .unregistered(let current)? = self.event { value = current }
                try reader.read(into: &value)
                self.event = .unregistered(value)
            case 7:
                var value = NotificationsRead()
                if case .read(let current)? = self.event { value = current }
                try reader.read(into: &value)
                self.event = .read(value)
            case 8:
                var value = BadgeSet()
                if case .badge(let current)? = self.event { value = current }
                try reader.read(into: &value)
                self.event = .badge(value)
            case 9:
                var value = BackfillBegun()
                if case .backfillBegun(let current)? = self.event { value = current }
                try reader.read(into: &value)
                self.event = .backfillBegun(value)
            case 10:
                var value = BackfillShareDone()
                if case .backfillShareDone(let current)? = self.event { value = current }
                try reader.read(into: &value)
                self.event = .backfillShareDone(value)
            case 11:
                var value = BackfillCancelled()
                if case .backfillCancelled(let current)? = self.event { value = current }
                try reader.read(into: &value)
                self.event = .backfillCancelled(value)
            case 20:
                var value = HitsMessage()
                if case .sharedHits(let current)? = self.event { value = current }
                try reader.read(into: &value)
                self.event = .sharedHits(value)
            case 21:
                var value = HitsMessage()
                if case .pastHits(let current)? = self.event { value = current }
                try reader.read(into: &value)
                self.event = .pastHits(value)
            case 22:
                var value = BackfillSharesDone()
                if case .backfillSharesDone(let current)? = self.event { value = current }
                try reader.read(into: &value)
                self.event = .backfillSharesDone(value)
            case 23:
                var value = CourierChanged()
                if case .courierChanged(let current)? = self.event { value = current }
                try reader.read(into: &value)
                self.event = .courierChanged(value)
            case 24: self.place = try reader.read(Wire.Int64.self)
            case 25: self.formerly = try reader.read(Wire.Fixed64.self)
            case 26:
                var value = UserRemoved()
                if case .userRemoved(let current)? = self.event { value = current }
                try reader.read(into: &value)
                self.event = .userRemoved(value)
            case 27:
                var value = PoliciesChanged()
                if case .policiesChanged(let current)? = self.event { value = current }
                try reader.read(into: &value)
                self.event = .policiesChanged(value)
            case 28:
                var value = DeliveryDue()
                if case .deliveryDue(let current)? = self.event { value = current }
                try reader.read(into: &value)
                self.event = .deliveryDue(value)
            default: try reader.skip()
            }
        }
    }

    package enum Event: Sendable, Equatable {
        case hits(HitsMessage)
        case registered(DeviceRegistered)
        case unregistered(DeviceUnregistered)
        case read(NotificationsRead)
        case badge(BadgeSet)
        case backfillBegun(BackfillBegun)
        case backfillShareDone(BackfillShareDone)
        case backfillCancelled(BackfillCancelled)
        /// Hits that have looks in common. A reader that does not know it sets the entry aside, and shows no notification
        /// without its text.
        case sharedHits(HitsMessage)
        /// Hits of the backfills of several subscriptions, or of one with hits that are only counted.
        case pastHits(HitsMessage)
        case backfillSharesDone(BackfillSharesDone)
        case courierChanged(CourierChanged)
        case userRemoved(UserRemoved)
        case policiesChanged(PoliciesChanged)
        case deliveryDue(DeliveryDue)
    }
}
