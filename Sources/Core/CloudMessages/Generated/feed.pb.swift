// Written by scripts/generate-messages from feed.proto: change that file and run it again.
// swift-format-ignore-file

package import EventLog
package import ProtocolBuffers

/// The badge of one of the user's devices after a notification.
package struct DeviceBadge: WireMessage {
    package var device: String = ""
    package var epoch: Int64 = 0
    package var badge: Int64 = 0

    package init() {}

    package init(
        device: String = "",
        epoch: Int64 = 0,
        badge: Int64 = 0
    ) {
        self.device = device
        self.epoch = epoch
        self.badge = badge
    }

    package func encode(into writer: inout MessageWriter) {
        if !self.device.isEmpty { writer.write(self.device, field: 1) }
        if self.epoch != 0 { writer.write(self.epoch, as: Wire.Int64.self, field: 2) }
        if self.badge != 0 { writer.write(self.badge, as: Wire.Int64.self, field: 3) }
    }

    package mutating func decode(from reader: inout MessageReader) throws(MessageError) {
        while let field = try reader.nextField() {
            switch field {
            case 1: self.device = try reader.string()
            case 2: self.epoch = try reader.read(Wire.Int64.self)
            case 3: self.badge = try reader.read(Wire.Int64.self)
            default: try reader.skip()
            }
        }
    }
}

/// A subscription fired.
package struct QueryNotification: WireMessage {
    package var database: Int32 = 0
    package var subscription: String = ""
    /// The sequence of the change.
    package var change: Int64 = 0
    /// 1 created, 2 updated, 3 deleted.
    package var reason: Int32 = 0
    package var recordType: String = ""
    package var recordName: String = ""
    package var zone: ZoneMessage?
    package var fields: [FieldMessage] = []
    package var alertBody: String?
    /// In the topic of a device: its badge; never in a journal.
    package var badge: Int64?
    /// The change was committed before the subscription was created.
    package var isBackfilled: Bool = false
    /// The sequence of the subscription's creation, where the change was committed before; 0 in all others.
    package var backfill: Int64 = 0
    /// In a journal: the badges of the devices whose badge it raises.
    package var badges: [DeviceBadge] = []
    /// Absent: nothing but alert_body.
    package var appearance: AppearanceMessage?
    /// The kind of the subscription: 0 query, 2 zone, 3 database.
    package var kind: Int32 = 0
    /// By a policy it stands for this change and for these before it, in their order; no more than 1,000 are named.
    package var covered: [Int64] = []
    /// The number of changes that it stands for; 0: one.
    package var changeCount: Int64 = 0

    package init() {}

    package init(
        database: Int32 = 0,
        subscription: String = "",
        change: Int64 = 0,
        reason: Int32 = 0,
        recordType: String = "",
        recordName: String = "",
        zone: ZoneMessage? = nil,
        fields: [FieldMessage] = [],
        alertBody: String? = nil,
        badge: Int64? = nil,
        isBackfilled: Bool = false,
        backfill: Int64 = 0,
        badges: [DeviceBadge] = [],
        appearance: AppearanceMessage? = nil,
        kind: Int32 = 0,
        covered: [Int64] = [],
        changeCount: Int64 = 0
    ) {
        self.database = database
        self.subscription = subscription
        self.change = change
        self.reason = reason
        self.recordType = recordType
        self.recordName = recordName
        self.zone = zone
        self.fields = fields
        self.alertBody = alertBody
        self.badge = badge
        self.isBackfilled = isBackfilled
        self.backfill = backfill
        self.badges = badges
        self.appearance = appearance
        self.kind = kind
        self.covered = covered
        self.changeCount = changeCount
    }

    package func encode(into writer: inout MessageWriter) {
        if self.database != 0 { writer.write(self.database, as: Wire.Int32.self, field: 1) }
        if !self.subscription.isEmpty { writer.write(self.subscription, field: 2) }
        if self.change != 0 { writer.write(self.change, as: Wire.Int64.self, field: 3) }
        if self.reason != 0 { writer.write(self.reason, as: Wire.Int32.self, field: 4) }
        if !self.recordType.isEmpty { writer.write(self.recordType, field: 5) }
        if !self.recordName.isEmpty { writer.write(self.recordName, field: 6) }
        if let value = self.zone { writer.write(value, field: 7) }
        writer.write(each: self.fields, field: 8)
        if let value = self.alertBody { writer.write(value, field: 9) }
        if let value = self.badge { writer.write(value, as: Wire.Int64.self, field: 10) }
        if self.isBackfilled { writer.write(self.isBackfilled, as: Wire.Bool.self, field: 11) }
        if self.backfill != 0 { writer.write(self.backfill, as: Wire.Int64.self, field: 12) }
        writer.write(each: self.badges, field: 13)
        if let value = self.appearance { writer.write(value, field: 20) }
        if self.kind != 0 { writer.write(self.kind, as: Wire.Int32.self, field: 40) }
        writer.write(packed: self.covered, as: Wire.Int64.self, field: 41)
        if self.changeCount != 0 { writer.write(self.changeCount, as: Wire.Int64.self, field: 42) }
    }

    package mutating func decode(from reader: inout MessageReader) throws(MessageError) {
        while let field = try reader.nextField() {
            switch field {
            case 1: self.database = try reader.read(Wire.Int32.self)
            case 2: self.subscription = try reader.string()
            case 3: self.change = try reader.read(Wire.Int64.self)
            case 4: self.reason = try reader.read(Wire.Int32.self)
            case 5: self.recordType = try reader.string()
            case 6: self.recordName = try reader.string()
            case 7: try reader.read(into: &self.zone)
            case 8: try reader.read(appendingTo: &self.fields)
            case 9: self.alertBody = try reader.string()
            case 10: self.badge = try reader.read(Wire.Int64.self)
            case 11: self.isBackfilled = try reader.read(Wire.Bool.self)
            case 12: self.backfill = try reader.read(Wire.Int64.self)
            case 13: try reader.read(appendingTo: &self.badges)
            case 20: try reader.read(into: &self.appearance)
            case 40: self.kind = try reader.read(Wire.Int32.self)
            case 41: try reader.read(Wire.Int64.self, appendingTo: &self.covered)
            case 42: self.changeCount = try reader.read(Wire.Int64.self)
            default: try reader.skip()
            }
        }
    }
}

/// A notification was marked as read.
package struct ReadMark: WireMessage {
    /// The sequence of the change that the notification is about.
    package var change: Int64 = 0

    package init() {}

    package init(
        change: Int64 = 0
    ) {
        self.change = change
    }

    package func encode(into writer: inout MessageWriter) {
        if self.change != 0 { writer.write(self.change, as: Wire.Int64.self, field: 1) }
    }

    package mutating func decode(from reader: inout MessageReader) throws(MessageError) {
        while let field = try reader.nextField() {
            switch field {
            case 1: self.change = try reader.read(Wire.Int64.self)
            default: try reader.skip()
            }
        }
    }
}

/// More subscriptions of the user fired on a change than get a notification each: the client fetches instead.
package struct OmittedNotifications: WireMessage {
    package var database: Int32 = 0
    /// The sequence of the change.
    package var change: Int64 = 0
    /// 1 created, 2 updated, 3 deleted.
    package var reason: Int32 = 0
    /// Empty, as the name, when the zone itself was created or deleted.
    package var recordType: String = ""
    package var recordName: String = ""
    package var zone: ZoneMessage?
    /// The number of subscriptions without a notification.
    package var count: Int32 = 0
    /// The rest of the subscriptions' backfills is left out: this change and later ones before their creation.
    package var isRest: Bool = false

    package init() {}

    package init(
        database: Int32 = 0,
        change: Int64 = 0,
        reason: Int32 = 0,
        recordType: String = "",
        recordName: String = "",
        zone: ZoneMessage? = nil,
        count: Int32 = 0,
        isRest: Bool = false
    ) {
        self.database = database
        self.change = change
        self.reason = reason
        self.recordType = recordType
        self.recordName = recordName
        self.zone = zone
        self.count = count
        self.isRest = isRest
    }

    package func encode(into writer: inout MessageWriter) {
        if self.database != 0 { writer.write(self.database, as: Wire.Int32.self, field: 1) }
        if self.change != 0 { writer.write(self.change, as: Wire.Int64.self, field: 2) }
        if self.reason != 0 { writer.write(self.reason, as: Wire.Int32.self, field: 3) }
        if !self.recordType.isEmpty { writer.write(self.recordType, field: 4) }
        if !self.recordName.isEmpty { writer.write(self.recordName, field: 5) }
        if let value = self.zone { writer.write(value, field: 6) }
        if self.count != 0 { writer.write(self.count, as: Wire.Int32.self, field: 7) }
        if self.isRest { writer.write(self.isRest, as: Wire.Bool.self, field: 8) }
    }

    package mutating func decode(from reader: inout MessageReader) throws(MessageError) {
        while let field = try reader.nextField() {
            switch field {
            case 1: self.database = try reader.read(Wire.Int32.self)
            case 2: self.change = try reader.read(Wire.Int64.self)
            case 3: self.reason = try reader.read(Wire.Int32.self)
            case 4: self.recordType = try reader.string()
            case 5: self.recordName = try reader.string()
            case 6: try reader.read(into: &self.zone)
            case 7: self.count = try reader.read(Wire.Int32.self)
            case 8: self.isRest = try reader.read(Wire.Bool.self)
            default: try reader.skip()
            }
        }
    }
}

/// The badge of all devices was set.
package struct BadgeMark: WireMessage {
    package var value: Int64 = 0

    package init() {}

    package init(
        value: Int64 = 0
    ) {
        self.value = value
    }

    package func encode(into writer: inout MessageWriter) {
        if self.value != 0 { writer.write(self.value, as: Wire.Int64.self, field: 1) }
    }

    package mutating func decode(from reader: inout MessageReader) throws(MessageError) {
        while let field = try reader.nextField() {
            switch field {
            case 1: self.value = try reader.read(Wire.Int64.self)
            default: try reader.skip()
            }
        }
    }
}

/// A device was registered.
package struct RegisteredMark: WireMessage {
    package var device: String = ""
    package var epoch: Int64 = 0
    package var name: String = ""
    package var platform: String = ""
    /// The journal's last entry before the registration; absent when the journal was empty.
    package var journal: SourcePositionMessage?

    package init() {}

    package init(
        device: String = "",
        epoch: Int64 = 0,
        name: String = "",
        platform: String = "",
        journal: SourcePositionMessage? = nil
    ) {
        self.device = device
        self.epoch = epoch
        self.name = name
        self.platform = platform
        self.journal = journal
    }

    package func encode(into writer: inout MessageWriter) {
        if !self.device.isEmpty { writer.write(self.device, field: 1) }
        if self.epoch != 0 { writer.write(self.epoch, as: Wire.Int64.self, field: 2) }
        if !self.name.isEmpty { writer.write(self.name, field: 3) }
        if !self.platform.isEmpty { writer.write(self.platform, field: 4) }
        if let value = self.journal { writer.write(value, field: 5) }
    }

    package mutating func decode(from reader: inout MessageReader) throws(MessageError) {
        while let field = try reader.nextField() {
            switch field {
            case 1: self.device = try reader.string()
            case 2: self.epoch = try reader.read(Wire.Int64.self)
            case 3: self.name = try reader.string()
            case 4: self.platform = try reader.string()
            case 5: try reader.read(into: &self.journal)
            default: try reader.skip()
            }
        }
    }
}

/// A device was removed.
package struct UnregisteredMark: WireMessage {
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

/// One entry of a journal or of the topic of a device.
package struct FeedEntry: WireMessage {
    /// A position in deliveries.
    package var source: SourcePositionMessage?
    /// The source of the entry before this one in the same journal or topic; absent in its first.
    package var predecessor: SourcePositionMessage?
    package var user: String = ""
    /// The time of the change or event, in milliseconds since 1970 UTC.
    package var time: Int64 = 0
    /// Which of the user's devices caused it.
    package var device: String?
    package var epoch: Int64?
    package var entry: Entry?

    package init() {}

    package init(
        source: SourcePositionMessage? = nil,
        predecessor: SourcePositionMessage? = nil,
        user: String = "",
        time: Int64 = 0,
        device: String? = nil,
        epoch: Int64? = nil,
        entry: Entry? = nil
    ) {
        self.source = source
        self.predecessor = predecessor
        self.user = user
        self.time = time
        self.device = device
        self.epoch = epoch
        self.entry = entry
    }

    package func encode(into writer: inout MessageWriter) {
        if let value = self.source { writer.write(value, field: 1) }
        if let value = self.predecessor { writer.write(value, field: 2) }
        if !self.user.isEmpty { writer.write(self.user, field: 3) }
        if self.time != 0 { writer.write(self.time, as: Wire.Int64.self, field: 4) }
        if let value = self.device { writer.write(value, field: 5) }
        if let value = self.epoch { writer.write(value, as: Wire.Int64.self, field: 6) }
        if case .query(let value)? = self.entry { writer.write(value, field: 7) }
        if case .read(let value)? = self.entry { writer.write(value, field: 8) }
        if case .badge(let value)? = self.entry { writer.write(value, field: 9) }
        if case .registered(let value)? = self.entry { writer.write(value, field: 10) }
        if case .unregistered(let value)? = self.entry { writer.write(value, field: 11) }
        if case .omitted(let value)? = self.entry { writer.write(value, field: 12) }
    }

    package mutating func decode(from reader: inout MessageReader) throws(MessageError) {
        while let field = try reader.nextField() {
            switch field {
            case 1: try reader.read(into: &self.source)
            case 2: try reader.read(into: &self.predecessor)
            case 3: self.user = try reader.string()
            case 4: self.time = try reader.read(Wire.Int64.self)
            case 5: self.device = try reader.string()
            case 6: self.epoch = try reader.read(Wire.Int64.self)
            case 7:
                var value = QueryNotification()
                if case .query(let current)? = self.entry { value = current }
                try reader.read(into: &value)
                self.entry = .query(value)
            case 8:
                var value = ReadMark()
                if case .read(let current)? = self.entry { value = current }
                try reader.read(into: &value)
                self.entry = .read(value)
            case 9:
                var value = BadgeMark()
                if case .badge(let current)? = self.entry { value = current }
                try reader.read(into: &value)
                self.entry = .badge(value)
            case 10:
                var value = RegisteredMark()
                if case .registered(let current)? = self.entry { value = current }
                try reader.read(into: &value)
                self.entry = .registered(value)
            case 11:
                var value = UnregisteredMark()
                if case .unregistered(let current)? = self.entry { value = current }
                try reader.read(into: &value)
                self.entry = .unregistered(value)
            case 12:
                var value = OmittedNotifications()
                if case .omitted(let current)? = self.entry { value = current }
                try reader.read(into: &value)
                self.entry = .omitted(value)
            default: try reader.skip()
            }
        }
    }

    package enum Entry: Sendable, Equatable {
        case query(QueryNotification)
        case read(ReadMark)
        case badge(BadgeMark)
        case registered(RegisteredMark)
        case unregistered(UnregisteredMark)
        case omitted(OmittedNotifications)
    }
}
