// Written by scripts/generate-messages from push.proto: change that file and run it again.
// swift-format-ignore-file

package import EventLog
package import ProtocolBuffers

/// A device that the notification is pushed to.
package struct PushTarget: WireMessage {
    package var device: String = ""
    package var epoch: Int64 = 0
    /// The kind of courier that pushes to it.
    package var courier: String = ""
    /// The badge of the device after the notification; absent: as it was.
    package var badge: Int64?
    /// The store's sequence of the entry in push-addresses since which it is registered for that courier; 0: the courier
    /// has no address there.
    package var since: Int64 = 0

    package init() {}

    package init(
        device: String = "",
        epoch: Int64 = 0,
        courier: String = "",
        badge: Int64? = nil,
        since: Int64 = 0
    ) {
        self.device = device
        self.epoch = epoch
        self.courier = courier
        self.badge = badge
        self.since = since
    }

    package func encode(into writer: inout MessageWriter) {
        if !self.device.isEmpty { writer.write(self.device, field: 1) }
        if self.epoch != 0 { writer.write(self.epoch, as: Wire.Int64.self, field: 2) }
        if !self.courier.isEmpty { writer.write(self.courier, field: 3) }
        if let value = self.badge { writer.write(value, as: Wire.Int64.self, field: 4) }
        if self.since != 0 { writer.write(self.since, as: Wire.Int64.self, field: 5) }
    }

    package mutating func decode(from reader: inout MessageReader) throws(MessageError) {
        while let field = try reader.nextField() {
            switch field {
            case 1: self.device = try reader.string()
            case 2: self.epoch = try reader.read(Wire.Int64.self)
            case 3: self.courier = try reader.string()
            case 4: self.badge = try reader.read(Wire.Int64.self)
            case 5: self.since = try reader.read(Wire.Int64.self)
            default: try reader.skip()
            }
        }
    }
}

/// A feed that has an entry, or will have it in a moment.
package struct FeedHint: WireMessage {
    package var device: String = ""
    package var epoch: Int64 = 0
    /// The entry's name, with the source of the PushEntry.
    package var offset: Int64 = 0
    package var index: Int32 = 0

    package init() {}

    package init(
        device: String = "",
        epoch: Int64 = 0,
        offset: Int64 = 0,
        index: Int32 = 0
    ) {
        self.device = device
        self.epoch = epoch
        self.offset = offset
        self.index = index
    }

    package func encode(into writer: inout MessageWriter) {
        if !self.device.isEmpty { writer.write(self.device, field: 1) }
        if self.epoch != 0 { writer.write(self.epoch, as: Wire.Int64.self, field: 2) }
        if self.offset != 0 { writer.write(self.offset, as: Wire.Int64.self, field: 3) }
        if self.index != 0 { writer.write(self.index, as: Wire.Int32.self, field: 4) }
    }

    package mutating func decode(from reader: inout MessageReader) throws(MessageError) {
        while let field = try reader.nextField() {
            switch field {
            case 1: self.device = try reader.string()
            case 2: self.epoch = try reader.read(Wire.Int64.self)
            case 3: self.offset = try reader.read(Wire.Int64.self)
            case 4: self.index = try reader.read(Wire.Int32.self)
            default: try reader.skip()
            }
        }
    }
}

/// A notification for those devices of a user that have a courier: it is in their feeds as well, under the same name.
/// Or, with hints and without a key, a user and a notification, the feeds that a step of stage 2 writes to.
package struct PushEntry: WireMessage {
    /// A position in deliveries.
    package var source: SourcePositionMessage?
    package var user: String = ""
    /// The time of the change, in milliseconds since 1970 UTC.
    package var time: Int64 = 0
    /// Which of the user's devices caused it.
    package var device: String?
    package var epoch: Int64?
    /// Without a badge: each device has its own.
    package var notification: QueryNotification?
    package var targets: [PushTarget] = []
    /// Wakes readers of these feeds. No guarantee depends on it.
    package var hints: [FeedHint] = []

    package init() {}

    package init(
        source: SourcePositionMessage? = nil,
        user: String = "",
        time: Int64 = 0,
        device: String? = nil,
        epoch: Int64? = nil,
        notification: QueryNotification? = nil,
        targets: [PushTarget] = [],
        hints: [FeedHint] = []
    ) {
        self.source = source
        self.user = user
        self.time = time
        self.device = device
        self.epoch = epoch
        self.notification = notification
        self.targets = targets
        self.hints = hints
    }

    package func encode(into writer: inout MessageWriter) {
        if let value = self.source { writer.write(value, field: 1) }
        if !self.user.isEmpty { writer.write(self.user, field: 2) }
        if self.time != 0 { writer.write(self.time, as: Wire.Int64.self, field: 3) }
        if let value = self.device { writer.write(value, field: 4) }
        if let value = self.epoch { writer.write(value, as: Wire.Int64.self, field: 5) }
        if let value = self.notification { writer.write(value, field: 6) }
        writer.write(each: self.targets, field: 7)
        writer.write(each: self.hints, field: 8)
    }

    package mutating func decode(from reader: inout MessageReader) throws(MessageError) {
        while let field = try reader.nextField() {
            switch field {
            case 1: try reader.read(into: &self.source)
            case 2: self.user = try reader.string()
            case 3: self.time = try reader.read(Wire.Int64.self)
            case 4: self.device = try reader.string()
            case 5: self.epoch = try reader.read(Wire.Int64.self)
            case 6: try reader.read(into: &self.notification)
            case 7: try reader.read(appendingTo: &self.targets)
            case 8: try reader.read(appendingTo: &self.hints)
            default: try reader.skip()
            }
        }
    }
}
