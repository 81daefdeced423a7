// Written by scripts/generate-messages from snapshot.proto: change that file and run it again.
// swift-format-ignore-file

package import ProtocolBuffers

/// What a snapshot was made of, and how far.
package struct SnapshotHeader: WireMessage {
    /// The log's identity, the topic's name and its incarnation.
    package var log: String = ""
    /// `topic`, field 2.
    package var topic: String = ""
    /// `incarnation`, field 3.
    package var incarnation: UInt64 = 0
    /// The offset to read on from.
    package var offset: Int64 = 0
    /// The highest sequence of a subscription event that the table had reached.
    package var reached: Int64 = 0
    /// The time at which it was begun, in milliseconds since 1970 UTC.
    package var begun: Int64 = 0
    /// How many versions there were then.
    package var versions: Int64 = 0

    /// The message in which every field has its default.
    package init() {}

    /// The message with those fields.
    package init(
        log: String = "",
        topic: String = "",
        incarnation: UInt64 = 0,
        offset: Int64 = 0,
        reached: Int64 = 0,
        begun: Int64 = 0,
        versions: Int64 = 0
    ) {
        self.log = log
        self.topic = topic
        self.incarnation = incarnation
        self.offset = offset
        self.reached = reached
        self.begun = begun
        self.versions = versions
    }

    /// Appends the fields that are set, in the order of their numbers.
    package func encode(into writer: inout MessageWriter) {
        if !self.log.isEmpty { writer.write(self.log, field: 1) }
        if !self.topic.isEmpty { writer.write(self.topic, field: 2) }
        if self.incarnation != 0 { writer.write(self.incarnation, as: Wire.UInt64.self, field: 3) }
        if self.offset != 0 { writer.write(self.offset, as: Wire.Int64.self, field: 4) }
        if self.reached != 0 { writer.write(self.reached, as: Wire.Int64.self, field: 5) }
        if self.begun != 0 { writer.write(self.begun, as: Wire.Int64.self, field: 6) }
        if self.versions != 0 { writer.write(self.versions, as: Wire.Int64.self, field: 7) }
    }

    /// Reads fields up to the message's end and lays them over what is here.
    package mutating func decode(from reader: inout MessageReader) throws(MessageError) {
        while let field = try reader.nextField() {
            switch field {
            case 1: self.log = try reader.string()
            case 2: self.topic = try reader.string()
            case 3: self.incarnation = try reader.read(Wire.UInt64.self)
            case 4: self.offset = try reader.read(Wire.Int64.self)
            case 5: self.reached = try reader.read(Wire.Int64.self)
            case 6: self.begun = try reader.read(Wire.Int64.self)
            case 7: self.versions = try reader.read(Wire.Int64.self)
            default: try reader.skip()
            }
        }
    }
}

/// A version in the table.
package struct SnapshotVersion: WireMessage {
    /// Its offset in the topic.
    package var offset: Int64 = 0
    /// `event`, field 2.
    package var event: SubscriptionEvent?

    /// The message in which every field has its default.
    package init() {}

    /// The message with those fields.
    package init(
        offset: Int64 = 0,
        event: SubscriptionEvent? = nil
    ) {
        self.offset = offset
        self.event = event
    }

    /// Appends the fields that are set, in the order of their numbers.
    package func encode(into writer: inout MessageWriter) {
        if self.offset != 0 { writer.write(self.offset, as: Wire.Int64.self, field: 1) }
        if let value = self.event { writer.write(value, field: 2) }
    }

    /// Reads fields up to the message's end and lays them over what is here.
    package mutating func decode(from reader: inout MessageReader) throws(MessageError) {
        while let field = try reader.nextField() {
            switch field {
            case 1: self.offset = try reader.read(Wire.Int64.self)
            case 2: try reader.read(into: &self.event)
            default: try reader.skip()
            }
        }
    }
}

/// Some versions, in no order.
package struct SnapshotBlock: WireMessage {
    /// `versions`, field 1.
    package var versions: [SnapshotVersion] = []

    /// The message in which every field has its default.
    package init() {}

    /// The message with those fields.
    package init(
        versions: [SnapshotVersion] = []
    ) {
        self.versions = versions
    }

    /// Appends the fields that are set, in the order of their numbers.
    package func encode(into writer: inout MessageWriter) {
        writer.write(each: self.versions, field: 1)
    }

    /// Reads fields up to the message's end and lays them over what is here.
    package mutating func decode(from reader: inout MessageReader) throws(MessageError) {
        while let field = try reader.nextField() {
            switch field {
            case 1: try reader.read(appendingTo: &self.versions)
            default: try reader.skip()
            }
        }
    }
}
