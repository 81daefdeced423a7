// Written by scripts/generate-messages from snapshot.proto: change that file and run it again.
// swift-format-ignore-file

package import ProtocolBuffers

/// What a snapshot was made of, and how far.
package struct SnapshotHeader: WireMessage {
    /// The log's identity, the topic's name and its incarnation.
    package var log: String = ""
    package var topic: String = ""
    package var incarnation: UInt64 = 0
    /// The offset to read on from.
    package var offset: Int64 = 0
    /// The highest sequence of a subscription event that the table had reached.
    package var reached: Int64 = 0
    /// The time at which it was begun, in milliseconds since 1970 UTC.
    package var begun: Int64 = 0
    /// How many versions there were then.
    package var versions: Int64 = 0
    /// The SHA-256 of the program that wrote it, which alone can read the image of the index.
    package var program: [UInt8] = []
    /// The number of parts behind the header that are that image.
    package var imageParts: Int64 = 0
    /// The last entries that were read, the latest last: by them another history of the same topic is recognized.
    package var marks: [SnapshotMark] = []
    /// The tombstone that was written for the snapshot, and read, before it was begun: while the topic has it, the topic
    /// has all later ones.
    package var tombstone: SnapshotMark?

    package init() {}

    package init(
        log: String = "",
        topic: String = "",
        incarnation: UInt64 = 0,
        offset: Int64 = 0,
        reached: Int64 = 0,
        begun: Int64 = 0,
        versions: Int64 = 0,
        program: [UInt8] = [],
        imageParts: Int64 = 0,
        marks: [SnapshotMark] = [],
        tombstone: SnapshotMark? = nil
    ) {
        self.log = log
        self.topic = topic
        self.incarnation = incarnation
        self.offset = offset
        self.reached = reached
        self.begun = begun
        self.versions = versions
        self.program = program
        self.imageParts = imageParts
        self.marks = marks
        self.tombstone = tombstone
    }

    package func encode(into writer: inout MessageWriter) {
        if !self.log.isEmpty { writer.write(self.log, field: 1) }
        if !self.topic.isEmpty { writer.write(self.topic, field: 2) }
        if self.incarnation != 0 { writer.write(self.incarnation, as: Wire.UInt64.self, field: 3) }
        if self.offset != 0 { writer.write(self.offset, as: Wire.Int64.self, field: 4) }
        if self.reached != 0 { writer.write(self.reached, as: Wire.Int64.self, field: 5) }
        if self.begun != 0 { writer.write(self.begun, as: Wire.Int64.self, field: 6) }
        if self.versions != 0 { writer.write(self.versions, as: Wire.Int64.self, field: 7) }
        if !self.program.isEmpty { writer.write(self.program, field: 8) }
        if self.imageParts != 0 { writer.write(self.imageParts, as: Wire.Int64.self, field: 9) }
        writer.write(each: self.marks, field: 10)
        if let value = self.tombstone { writer.write(value, field: 11) }
    }

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
            case 8: self.program = try reader.bytes()
            case 9: self.imageParts = try reader.read(Wire.Int64.self)
            case 10: try reader.read(appendingTo: &self.marks)
            case 11: try reader.read(into: &self.tombstone)
            default: try reader.skip()
            }
        }
    }
}

/// An entry of the topic.
package struct SnapshotMark: WireMessage {
    package var offset: Int64 = 0
    /// A hash of its key and its value.
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

/// A version in the table, as the table holds it.
package struct SnapshotVersion: WireMessage {
    /// Its offset in the topic.
    package var offset: Int64 = 0
    /// The store and the sequence of the save or deletion.
    package var store: UInt64 = 0
    package var sequence: Int64 = 0
    package var user: String = ""
    package var database: Int32 = 0
    package var id: String = ""
    /// The sequence of the subscription's creation.
    package var created: Int64 = 0
    /// Absent: deleted. Else a SubscriptionEvent with condition and backfill alone.
    package var watched: [UInt8]?
    /// A NotificationInfoMessage.
    package var notificationInfo: [UInt8] = []
    /// Its place in the table, which is its ID in the index.
    package var place: UInt32 = 0
    /// What the table knows of it without its condition (PackedVersion.Flags).
    package var flags: UInt32 = 0
    /// True when the image of the index does not know it at its place.
    package var isOutside: Bool = false

    package init() {}

    package init(
        offset: Int64 = 0,
        store: UInt64 = 0,
        sequence: Int64 = 0,
        user: String = "",
        database: Int32 = 0,
        id: String = "",
        created: Int64 = 0,
        watched: [UInt8]? = nil,
        notificationInfo: [UInt8] = [],
        place: UInt32 = 0,
        flags: UInt32 = 0,
        isOutside: Bool = false
    ) {
        self.offset = offset
        self.store = store
        self.sequence = sequence
        self.user = user
        self.database = database
        self.id = id
        self.created = created
        self.watched = watched
        self.notificationInfo = notificationInfo
        self.place = place
        self.flags = flags
        self.isOutside = isOutside
    }

    package func encode(into writer: inout MessageWriter) {
        if self.offset != 0 { writer.write(self.offset, as: Wire.Int64.self, field: 1) }
        if self.store != 0 { writer.write(self.store, as: Wire.UInt64.self, field: 2) }
        if self.sequence != 0 { writer.write(self.sequence, as: Wire.Int64.self, field: 3) }
        if !self.user.isEmpty { writer.write(self.user, field: 4) }
        if self.database != 0 { writer.write(self.database, as: Wire.Int32.self, field: 5) }
        if !self.id.isEmpty { writer.write(self.id, field: 6) }
        if self.created != 0 { writer.write(self.created, as: Wire.Int64.self, field: 7) }
        if let value = self.watched { writer.write(value, field: 8) }
        if !self.notificationInfo.isEmpty { writer.write(self.notificationInfo, field: 9) }
        if self.place != 0 { writer.write(self.place, as: Wire.UInt32.self, field: 10) }
        if self.flags != 0 { writer.write(self.flags, as: Wire.UInt32.self, field: 11) }
        if self.isOutside { writer.write(self.isOutside, as: Wire.Bool.self, field: 12) }
    }

    package mutating func decode(from reader: inout MessageReader) throws(MessageError) {
        while let field = try reader.nextField() {
            switch field {
            case 1: self.offset = try reader.read(Wire.Int64.self)
            case 2: self.store = try reader.read(Wire.UInt64.self)
            case 3: self.sequence = try reader.read(Wire.Int64.self)
            case 4: self.user = try reader.string()
            case 5: self.database = try reader.read(Wire.Int32.self)
            case 6: self.id = try reader.string()
            case 7: self.created = try reader.read(Wire.Int64.self)
            case 8: self.watched = try reader.bytes()
            case 9: self.notificationInfo = try reader.bytes()
            case 10: self.place = try reader.read(Wire.UInt32.self)
            case 11: self.flags = try reader.read(Wire.UInt32.self)
            case 12: self.isOutside = try reader.read(Wire.Bool.self)
            default: try reader.skip()
            }
        }
    }
}

/// Some versions, in no order.
package struct SnapshotBlock: WireMessage {
    package var versions: [SnapshotVersion] = []

    package init() {}

    package init(
        versions: [SnapshotVersion] = []
    ) {
        self.versions = versions
    }

    package func encode(into writer: inout MessageWriter) {
        writer.write(each: self.versions, field: 1)
    }

    package mutating func decode(from reader: inout MessageReader) throws(MessageError) {
        while let field = try reader.nextField() {
            switch field {
            case 1: try reader.read(appendingTo: &self.versions)
            default: try reader.skip()
            }
        }
    }
}
