// Written by scripts/generate-messages from change.proto: change that file and run it again.
// swift-format-ignore-file

package import EventLog
package import ProtocolBuffers

/// Where a change came from.
package struct OriginMessage: WireMessage {
    package var user: String = ""
    /// The `clientId` of the request.
    package var device: String?
    /// The device's registration; absent when the `clientId` was no registered device.
    package var epoch: Int64?

    package init() {}

    package init(
        user: String = "",
        device: String? = nil,
        epoch: Int64? = nil
    ) {
        self.user = user
        self.device = device
        self.epoch = epoch
    }

    package func encode(into writer: inout MessageWriter) {
        if !self.user.isEmpty { writer.write(self.user, field: 1) }
        if let value = self.device { writer.write(value, field: 2) }
        if let value = self.epoch { writer.write(value, as: Wire.Int64.self, field: 3) }
    }

    package mutating func decode(from reader: inout MessageReader) throws(MessageError) {
        while let field = try reader.nextField() {
            switch field {
            case 1: self.user = try reader.string()
            case 2: self.device = try reader.string()
            case 3: self.epoch = try reader.read(Wire.Int64.self)
            default: try reader.skip()
            }
        }
    }
}

/// One committed change of one record, or of a zone.
package struct ChangeEvent: WireMessage {
    /// The store and the sequence of the change in its commit order.
    package var source: SourcePositionMessage?
    /// The last subscription save or deletion before this change.
    package var lastSubscription: Int64 = 0
    /// 1 public, 2 private, 3 shared.
    package var database: Int32 = 0
    /// 1 created, 2 updated, 3 deleted.
    package var kind: Int32 = 0
    /// Absent when the record was created, and in changes of zones.
    package var before: RecordMessage?
    /// Absent when the record was deleted, and in changes of zones.
    package var after: RecordMessage?
    /// Milliseconds since 1970 UTC.
    package var committed: Int64 = 0
    package var origin: OriginMessage?
    /// The zone that was created or deleted; there is no record then.
    package var zone: ZoneMessage?
    /// Record names of the participants, in changes.shared.
    package var participants: [String] = []
    /// The readers of the record in the public database: 0 everybody, 1 signed-in users, 2 its creator, 3 nobody.
    package var reader: Int32 = 0
    /// No change: each partition has one behind a subscription with a backfill, with a higher sequence than all changes
    /// before the subscription and a lower one than all after it.
    package var boundary: Bool = false
    /// The trace that the request was part of, where it is kept: 16 bytes of the trace's ID, 8 of the span's.
    package var trace: [UInt8] = []

    package init() {}

    package init(
        source: SourcePositionMessage? = nil,
        lastSubscription: Int64 = 0,
        database: Int32 = 0,
        kind: Int32 = 0,
        before: RecordMessage? = nil,
        after: RecordMessage? = nil,
        committed: Int64 = 0,
        origin: OriginMessage? = nil,
        zone: ZoneMessage? = nil,
        participants: [String] = [],
        reader: Int32 = 0,
        boundary: Bool = false,
        trace: [UInt8] = []
    ) {
        self.source = source
        self.lastSubscription = lastSubscription
        self.database = database
        self.kind = kind
        self.before = before
        self.after = after
        self.committed = committed
        self.origin = origin
        self.zone = zone
        self.participants = participants
        self.reader = reader
        self.boundary = boundary
        self.trace = trace
    }

    package func encode(into writer: inout MessageWriter) {
        if let value = self.source { writer.write(value, field: 1) }
        if self.lastSubscription != 0 { writer.write(self.lastSubscription, as: Wire.Int64.self, field: 2) }
        if self.database != 0 { writer.write(self.database, as: Wire.Int32.self, field: 3) }
        if self.kind != 0 { writer.write(self.kind, as: Wire.Int32.self, field: 4) }
        if let value = self.before { writer.write(value, field: 5) }
        if let value = self.after { writer.write(value, field: 6) }
        if self.committed != 0 { writer.write(self.committed, as: Wire.Int64.self, field: 7) }
        if let value = self.origin { writer.write(value, field: 8) }
        if let value = self.zone { writer.write(value, field: 9) }
        for value in self.participants { writer.write(value, field: 10) }
        if self.reader != 0 { writer.write(self.reader, as: Wire.Int32.self, field: 11) }
        if self.boundary { writer.write(self.boundary, as: Wire.Bool.self, field: 12) }
        if !self.trace.isEmpty { writer.write(self.trace, field: 13) }
    }

    package mutating func decode(from reader: inout MessageReader) throws(MessageError) {
        while let field = try reader.nextField() {
            switch field {
            case 1: try reader.read(into: &self.source)
            case 2: self.lastSubscription = try reader.read(Wire.Int64.self)
            case 3: self.database = try reader.read(Wire.Int32.self)
            case 4: self.kind = try reader.read(Wire.Int32.self)
            case 5: try reader.read(into: &self.before)
            case 6: try reader.read(into: &self.after)
            case 7: self.committed = try reader.read(Wire.Int64.self)
            case 8: try reader.read(into: &self.origin)
            case 9: try reader.read(into: &self.zone)
            case 10: self.participants.append(try reader.string())
            case 11: self.reader = try reader.read(Wire.Int32.self)
            case 12: self.boundary = try reader.read(Wire.Bool.self)
            case 13: self.trace = try reader.bytes()
            default: try reader.skip()
            }
        }
    }
}
