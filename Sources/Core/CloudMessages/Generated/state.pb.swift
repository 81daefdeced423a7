// Written by scripts/generate-messages from state.proto: change that file and run it again.
// swift-format-ignore-file

package import EventLog
package import ProtocolBuffers

/// A device that is registered now.
package struct DeviceState: WireMessage {
    /// `device`, field 1.
    package var device: String = ""
    /// `epoch`, field 2.
    package var epoch: Int64 = 0
    /// `badge`, field 3.
    package var badge: Int64 = 0
    /// The source of the last entry of its feed.
    package var last: SourcePositionMessage?
    /// The kind of courier that pushes to it; empty: none.
    package var courier: String = ""

    /// The message in which every field has its default.
    package init() {}

    /// The message with those fields.
    package init(
        device: String = "",
        epoch: Int64 = 0,
        badge: Int64 = 0,
        last: SourcePositionMessage? = nil,
        courier: String = ""
    ) {
        self.device = device
        self.epoch = epoch
        self.badge = badge
        self.last = last
        self.courier = courier
    }

    /// Appends the fields that are set, in the order of their numbers.
    package func encode(into writer: inout MessageWriter) {
        if !self.device.isEmpty { writer.write(self.device, field: 1) }
        if self.epoch != 0 { writer.write(self.epoch, as: Wire.Int64.self, field: 2) }
        if self.badge != 0 { writer.write(self.badge, as: Wire.Int64.self, field: 3) }
        if let value = self.last { writer.write(value, field: 4) }
        if !self.courier.isEmpty { writer.write(self.courier, field: 5) }
    }

    /// Reads fields up to the message's end and lays them over what is here.
    package mutating func decode(from reader: inout MessageReader) throws(MessageError) {
        while let field = try reader.nextField() {
            switch field {
            case 1: self.device = try reader.string()
            case 2: self.epoch = try reader.read(Wire.Int64.self)
            case 3: self.badge = try reader.read(Wire.Int64.self)
            case 4: try reader.read(into: &self.last)
            case 5: self.courier = try reader.string()
            default: try reader.skip()
            }
        }
    }
}

/// A topic that has to be deleted: its device was removed.
package struct PendingDeletion: WireMessage {
    /// `device`, field 1.
    package var device: String = ""
    /// `epoch`, field 2.
    package var epoch: Int64 = 0

    /// The message in which every field has its default.
    package init() {}

    /// The message with those fields.
    package init(
        device: String = "",
        epoch: Int64 = 0
    ) {
        self.device = device
        self.epoch = epoch
    }

    /// Appends the fields that are set, in the order of their numbers.
    package func encode(into writer: inout MessageWriter) {
        if !self.device.isEmpty { writer.write(self.device, field: 1) }
        if self.epoch != 0 { writer.write(self.epoch, as: Wire.Int64.self, field: 2) }
    }

    /// Reads fields up to the message's end and lays them over what is here.
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

    /// The message in which every field has its default.
    package init() {}

    /// The message with those fields.
    package init(
        created: Int64 = 0,
        fired: Int64 = 0
    ) {
        self.created = created
        self.fired = fired
    }

    /// Appends the fields that are set, in the order of their numbers.
    package func encode(into writer: inout MessageWriter) {
        if self.created != 0 { writer.write(self.created, as: Wire.Int64.self, field: 1) }
        if self.fired != 0 { writer.write(self.fired, as: Wire.Int64.self, field: 2) }
    }

    /// Reads fields up to the message's end and lays them over what is here.
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

/// At this time the user's notifications had come to this sequence: what is read or spent below it can be forgotten once
/// the time is out of retention.
package struct Checkpoint: WireMessage {
    /// Milliseconds since 1970 UTC.
    package var time: Int64 = 0
    /// `sequence`, field 2.
    package var sequence: Int64 = 0

    /// The message in which every field has its default.
    package init() {}

    /// The message with those fields.
    package init(
        time: Int64 = 0,
        sequence: Int64 = 0
    ) {
        self.time = time
        self.sequence = sequence
    }

    /// Appends the fields that are set, in the order of their numbers.
    package func encode(into writer: inout MessageWriter) {
        if self.time != 0 { writer.write(self.time, as: Wire.Int64.self, field: 1) }
        if self.sequence != 0 { writer.write(self.sequence, as: Wire.Int64.self, field: 2) }
    }

    /// Reads fields up to the message's end and lays them over what is here.
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

/// What delivery knows of a user.
package struct UserState: WireMessage {
    /// The source of the journal's last entry; absent while there is no journal.
    package var journal: SourcePositionMessage?
    /// `devices`, field 2.
    package var devices: [DeviceState] = []
    /// Sequences of the changes whose notifications were marked as read: distances between ascending, alternating starts and ends of ranges.
    package var read: [UInt64] = []
    /// Fired-once subscriptions that have fired.
    package var spent: [SpentSubscription] = []
    /// `checkpoints`, field 5.
    package var checkpoints: [Checkpoint] = []
    /// The store's sequence of the user's last device event that was applied.
    package var applied: Int64 = 0
    /// `pending`, field 7.
    package var pending: [PendingDeletion] = []

    /// The message in which every field has its default.
    package init() {}

    /// The message with those fields.
    package init(
        journal: SourcePositionMessage? = nil,
        devices: [DeviceState] = [],
        read: [UInt64] = [],
        spent: [SpentSubscription] = [],
        checkpoints: [Checkpoint] = [],
        applied: Int64 = 0,
        pending: [PendingDeletion] = []
    ) {
        self.journal = journal
        self.devices = devices
        self.read = read
        self.spent = spent
        self.checkpoints = checkpoints
        self.applied = applied
        self.pending = pending
    }

    /// Appends the fields that are set, in the order of their numbers.
    package func encode(into writer: inout MessageWriter) {
        if let value = self.journal { writer.write(value, field: 1) }
        writer.write(each: self.devices, field: 2)
        writer.write(packed: self.read, as: Wire.UInt64.self, field: 3)
        writer.write(each: self.spent, field: 4)
        writer.write(each: self.checkpoints, field: 5)
        if self.applied != 0 { writer.write(self.applied, as: Wire.Int64.self, field: 6) }
        writer.write(each: self.pending, field: 7)
    }

    /// Reads fields up to the message's end and lays them over what is here.
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

    /// The message in which every field has its default.
    package init() {}

    /// The message with those fields.
    package init(
        seen: [SourcePositionMessage] = [],
        next: Int64 = 0
    ) {
        self.seen = seen
        self.next = next
    }

    /// Appends the fields that are set, in the order of their numbers.
    package func encode(into writer: inout MessageWriter) {
        writer.write(each: self.seen, field: 1)
        if self.next != 0 { writer.write(self.next, as: Wire.Int64.self, field: 2) }
    }

    /// Reads fields up to the message's end and lays them over what is here.
    package mutating func decode(from reader: inout MessageReader) throws(MessageError) {
        while let field = try reader.nextField() {
            switch field {
            case 1: try reader.read(appendingTo: &self.seen)
            case 2: self.next = try reader.read(Wire.Int64.self)
            default: try reader.skip()
            }
        }
    }
}
