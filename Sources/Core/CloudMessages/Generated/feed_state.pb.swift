// Written by scripts/generate-messages from feed_state.proto: change that file and run it again.
// swift-format-ignore-file

package import EventLog
package import ProtocolBuffers

/// The topic of a device's feed.
package struct FeedTopicState: WireMessage {
    package var device: String = ""
    package var epoch: Int64 = 0
    /// The source of its last entry; absent where it has none.
    package var last: SourcePositionMessage?
    /// The last source position written of each source.
    package var seen: [SourcePositionMessage] = []
    /// The offset in journals from which entries are still to be copied; absent: it has all that the partition was read to.
    package var next: Int64?

    package init() {}

    package init(
        device: String = "",
        epoch: Int64 = 0,
        last: SourcePositionMessage? = nil,
        seen: [SourcePositionMessage] = [],
        next: Int64? = nil
    ) {
        self.device = device
        self.epoch = epoch
        self.last = last
        self.seen = seen
        self.next = next
    }

    package func encode(into writer: inout MessageWriter) {
        if !self.device.isEmpty { writer.write(self.device, field: 1) }
        if self.epoch != 0 { writer.write(self.epoch, as: Wire.Int64.self, field: 2) }
        if let value = self.last { writer.write(value, field: 3) }
        writer.write(each: self.seen, field: 4)
        if let value = self.next { writer.write(value, as: Wire.Int64.self, field: 5) }
    }

    package mutating func decode(from reader: inout MessageReader) throws(MessageError) {
        while let field = try reader.nextField() {
            switch field {
            case 1: self.device = try reader.string()
            case 2: self.epoch = try reader.read(Wire.Int64.self)
            case 3: try reader.read(into: &self.last)
            case 4: try reader.read(appendingTo: &self.seen)
            case 5: self.next = try reader.read(Wire.Int64.self)
            default: try reader.skip()
            }
        }
    }
}

/// The topics of a user's devices.
package struct FeedTopicsState: WireMessage {
    package var topics: [FeedTopicState] = []
    /// Topics that have to be deleted, before they are made again where topics has them, too.
    package var pending: [PendingDeletion] = []
    /// The offset in journals behind the user's removal; 0 where the user was not removed.
    package var since: Int64 = 0

    package init() {}

    package init(
        topics: [FeedTopicState] = [],
        pending: [PendingDeletion] = [],
        since: Int64 = 0
    ) {
        self.topics = topics
        self.pending = pending
        self.since = since
    }

    package func encode(into writer: inout MessageWriter) {
        writer.write(each: self.topics, field: 1)
        writer.write(each: self.pending, field: 2)
        if self.since != 0 { writer.write(self.since, as: Wire.Int64.self, field: 3) }
    }

    package mutating func decode(from reader: inout MessageReader) throws(MessageError) {
        while let field = try reader.nextField() {
            switch field {
            case 1: try reader.read(appendingTo: &self.topics)
            case 2: try reader.read(appendingTo: &self.pending)
            case 3: self.since = try reader.read(Wire.Int64.self)
            default: try reader.skip()
            }
        }
    }
}
