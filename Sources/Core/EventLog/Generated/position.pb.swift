// Written by scripts/generate-messages from position.proto: change that file and run it again.
// swift-format-ignore-file

package import ProtocolBuffers

/// Where an output came from: a log partition and an offset in it, or a store and a sequence.
package struct SourcePositionMessage: WireMessage {
    /// The topic's name without the container's prefix; `store` for a store.
    package var origin: String = ""
    /// Which topic or store of that name: a random number given when it was made.
    package var incarnation: UInt64 = 0
    package var partition: Int32 = 0
    /// The offset, or the store's sequence.
    package var offset: Int64 = 0
    /// Which of several outputs of the same input.
    package var index: Int32 = 0

    package init() {}

    package init(
        origin: String = "",
        incarnation: UInt64 = 0,
        partition: Int32 = 0,
        offset: Int64 = 0,
        index: Int32 = 0
    ) {
        self.origin = origin
        self.incarnation = incarnation
        self.partition = partition
        self.offset = offset
        self.index = index
    }

    package func encode(into writer: inout MessageWriter) {
        if !self.origin.isEmpty { writer.write(self.origin, field: 1) }
        if self.incarnation != 0 { writer.write(self.incarnation, as: Wire.Fixed64.self, field: 2) }
        if self.partition != 0 { writer.write(self.partition, as: Wire.Int32.self, field: 3) }
        if self.offset != 0 { writer.write(self.offset, as: Wire.Int64.self, field: 4) }
        if self.index != 0 { writer.write(self.index, as: Wire.Int32.self, field: 5) }
    }

    package mutating func decode(from reader: inout MessageReader) throws(MessageError) {
        while let field = try reader.nextField() {
            switch field {
            case 1: self.origin = try reader.string()
            case 2: self.incarnation = try reader.read(Wire.Fixed64.self)
            case 3: self.partition = try reader.read(Wire.Int32.self)
            case 4: self.offset = try reader.read(Wire.Int64.self)
            case 5: self.index = try reader.read(Wire.Int32.self)
            default: try reader.skip()
            }
        }
    }
}

/// A reader's position: the next offset, and the last source position seen of each source.
package struct PositionMessage: WireMessage {
    package var offset: Int64 = 0
    package var seen: [SourcePositionMessage] = []
    /// Which topic of that name the offset counts in; 0 where nobody noted it.
    package var incarnation: UInt64 = 0
    /// Some of the entries before the offset, the latest first: the history that the offset counts in.
    package var marks: [EntryMarkMessage] = []

    package init() {}

    package init(
        offset: Int64 = 0,
        seen: [SourcePositionMessage] = [],
        incarnation: UInt64 = 0,
        marks: [EntryMarkMessage] = []
    ) {
        self.offset = offset
        self.seen = seen
        self.incarnation = incarnation
        self.marks = marks
    }

    package func encode(into writer: inout MessageWriter) {
        if self.offset != 0 { writer.write(self.offset, as: Wire.Int64.self, field: 1) }
        writer.write(each: self.seen, field: 2)
        if self.incarnation != 0 { writer.write(self.incarnation, as: Wire.Fixed64.self, field: 3) }
        writer.write(each: self.marks, field: 4)
    }

    package mutating func decode(from reader: inout MessageReader) throws(MessageError) {
        while let field = try reader.nextField() {
            switch field {
            case 1: self.offset = try reader.read(Wire.Int64.self)
            case 2: try reader.read(appendingTo: &self.seen)
            case 3: self.incarnation = try reader.read(Wire.Fixed64.self)
            case 4: try reader.read(appendingTo: &self.marks)
            default: try reader.skip()
            }
        }
    }
}

/// An entry that was read, by its offset and a hash of its key and its value.
package struct EntryMarkMessage: WireMessage {
    package var offset: Int64 = 0
    package var hash: UInt64 = 0

    package init() {}

    package init(
        offset: Int64 = 0,
        hash: UInt64 = 0
    ) {
        self.offset = offset
        self.hash = hash
    }

    package func encode(into writer: inout MessageWriter) {
        if self.offset != 0 { writer.write(self.offset, as: Wire.Int64.self, field: 1) }
        if self.hash != 0 { writer.write(self.hash, as: Wire.Fixed64.self, field: 2) }
    }

    package mutating func decode(from reader: inout MessageReader) throws(MessageError) {
        while let field = try reader.nextField() {
            switch field {
            case 1: self.offset = try reader.read(Wire.Int64.self)
            case 2: self.hash = try reader.read(Wire.Fixed64.self)
            default: try reader.skip()
            }
        }
    }
}
