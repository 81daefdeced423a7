// Written by scripts/generate-messages from poison.proto: change that file and run it again.
// swift-format-ignore-file

package import ProtocolBuffers

/// One thing that happened to an entry.
package struct PoisonEvent: WireMessage {
    /// The stage that met it: match, backfill, table, deliver, push; relay.
    package var stage: String = ""
    /// The topic's name without the container's prefix.
    package var topic: String = ""
    /// Which topic of that name; 0 where topics have no incarnation.
    package var incarnation: UInt64 = 0
    package var partition: Int32 = 0
    package var offset: Int64 = 0
    /// 1 a process crashed at it, 2 it cannot be read, 3 an operator retried it: it is at the topic's end again.
    package var kind: Int32 = 0
    /// Why it cannot be read.
    package var reason: String = ""

    package init() {}

    package init(
        stage: String = "",
        topic: String = "",
        incarnation: UInt64 = 0,
        partition: Int32 = 0,
        offset: Int64 = 0,
        kind: Int32 = 0,
        reason: String = ""
    ) {
        self.stage = stage
        self.topic = topic
        self.incarnation = incarnation
        self.partition = partition
        self.offset = offset
        self.kind = kind
        self.reason = reason
    }

    package func encode(into writer: inout MessageWriter) {
        if !self.stage.isEmpty { writer.write(self.stage, field: 1) }
        if !self.topic.isEmpty { writer.write(self.topic, field: 2) }
        if self.incarnation != 0 { writer.write(self.incarnation, as: Wire.Fixed64.self, field: 3) }
        if self.partition != 0 { writer.write(self.partition, as: Wire.Int32.self, field: 4) }
        if self.offset != 0 { writer.write(self.offset, as: Wire.Int64.self, field: 5) }
        if self.kind != 0 { writer.write(self.kind, as: Wire.Int32.self, field: 6) }
        if !self.reason.isEmpty { writer.write(self.reason, field: 7) }
    }

    package mutating func decode(from reader: inout MessageReader) throws(MessageError) {
        while let field = try reader.nextField() {
            switch field {
            case 1: self.stage = try reader.string()
            case 2: self.topic = try reader.string()
            case 3: self.incarnation = try reader.read(Wire.Fixed64.self)
            case 4: self.partition = try reader.read(Wire.Int32.self)
            case 5: self.offset = try reader.read(Wire.Int64.self)
            case 6: self.kind = try reader.read(Wire.Int32.self)
            case 7: self.reason = try reader.string()
            default: try reader.skip()
            }
        }
    }
}
