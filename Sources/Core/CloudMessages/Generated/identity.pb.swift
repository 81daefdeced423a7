// Written by scripts/generate-messages from identity.proto: change that file and run it again.
// swift-format-ignore-file

package import ProtocolBuffers

/// A topic that exists before anything else happens.
package struct TopicIdentity: WireMessage {
    /// The name without the container's prefix.
    package var topic: String = ""
    /// Which topic of that name.
    package var incarnation: UInt64 = 0

    package init() {}

    package init(
        topic: String = "",
        incarnation: UInt64 = 0
    ) {
        self.topic = topic
        self.incarnation = incarnation
    }

    package func encode(into writer: inout MessageWriter) {
        if !self.topic.isEmpty { writer.write(self.topic, field: 1) }
        if self.incarnation != 0 { writer.write(self.incarnation, as: Wire.Fixed64.self, field: 2) }
    }

    package mutating func decode(from reader: inout MessageReader) throws(MessageError) {
        while let field = try reader.nextField() {
            switch field {
            case 1: self.topic = try reader.string()
            case 2: self.incarnation = try reader.read(Wire.Fixed64.self)
            default: try reader.skip()
            }
        }
    }
}

/// The halves that belong together.
package struct ScopeIdentityMessage: WireMessage {
    /// The incarnation of the store that publishes here.
    package var store: UInt64 = 0
    /// The identity of the log: a cluster's ID.
    package var cluster: String = ""
    package var topics: [TopicIdentity] = []
    /// The highest sequence of the store that may be in the log.
    package var published: Int64 = 0
    /// The claim of the relay that publishes: a number that each one chooses at its start. 0: from before there were claims.
    package var owner: UInt64 = 0
    /// What an operator does with store and log, and has not finished: no stage begins meanwhile. 0: nothing, 1: a repair,
    /// 2: a migration of feeds.
    package var work: Int32 = 0

    package init() {}

    package init(
        store: UInt64 = 0,
        cluster: String = "",
        topics: [TopicIdentity] = [],
        published: Int64 = 0,
        owner: UInt64 = 0,
        work: Int32 = 0
    ) {
        self.store = store
        self.cluster = cluster
        self.topics = topics
        self.published = published
        self.owner = owner
        self.work = work
    }

    package func encode(into writer: inout MessageWriter) {
        if self.store != 0 { writer.write(self.store, as: Wire.Fixed64.self, field: 1) }
        if !self.cluster.isEmpty { writer.write(self.cluster, field: 2) }
        writer.write(each: self.topics, field: 3)
        if self.published != 0 { writer.write(self.published, as: Wire.Int64.self, field: 4) }
        if self.owner != 0 { writer.write(self.owner, as: Wire.Fixed64.self, field: 5) }
        if self.work != 0 { writer.write(self.work, as: Wire.Int32.self, field: 6) }
    }

    package mutating func decode(from reader: inout MessageReader) throws(MessageError) {
        while let field = try reader.nextField() {
            switch field {
            case 1: self.store = try reader.read(Wire.Fixed64.self)
            case 2: self.cluster = try reader.string()
            case 3: try reader.read(appendingTo: &self.topics)
            case 4: self.published = try reader.read(Wire.Int64.self)
            case 5: self.owner = try reader.read(Wire.Fixed64.self)
            case 6: self.work = try reader.read(Wire.Int32.self)
            default: try reader.skip()
            }
        }
    }
}

/// The progress of a store's subscription events in the topic: none at or below this sequence is missing, other than
/// removed ones.
package struct ReachedMessage: WireMessage {
    package var store: UInt64 = 0
    package var sequence: Int64 = 0

    package init() {}

    package init(
        store: UInt64 = 0,
        sequence: Int64 = 0
    ) {
        self.store = store
        self.sequence = sequence
    }

    package func encode(into writer: inout MessageWriter) {
        if self.store != 0 { writer.write(self.store, as: Wire.Fixed64.self, field: 1) }
        if self.sequence != 0 { writer.write(self.sequence, as: Wire.Int64.self, field: 2) }
    }

    package mutating func decode(from reader: inout MessageReader) throws(MessageError) {
        while let field = try reader.nextField() {
            switch field {
            case 1: self.store = try reader.read(Wire.Fixed64.self)
            case 2: self.sequence = try reader.read(Wire.Int64.self)
            default: try reader.skip()
            }
        }
    }
}
