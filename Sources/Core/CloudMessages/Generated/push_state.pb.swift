// Written by scripts/generate-messages from push_state.proto: change that file and run it again.
// swift-format-ignore-file

package import EventLog
package import ProtocolBuffers

/// The push that waits for an address: the newest that shows something, or where none does, the newest.
package struct WaitingPushMessage: WireMessage {
    /// The name of its entry in pushes.
    package var source: SourcePositionMessage?
    /// The number of notifications that it stands for.
    package var merged: Int64 = 0
    /// The newest badge; absent: as it was.
    package var badge: Int64?
    /// True for an alert, a sound or a badge.
    package var isVisible: Bool = false
    /// The time of the change, in milliseconds since 1970 UTC.
    package var time: Int64 = 0
    /// How often it was sent in vain.
    package var tries: Int32 = 0
    /// It is not sent before, in milliseconds since 1970 UTC.
    package var due: Int64 = 0
    /// With its contents it was too large for the provider.
    package var withoutContents: Bool = false
    /// The store's sequence of the address's registration; 0 where the entry in pushes has none.
    package var sequence: Int64 = 0
    /// The newest changes whose notifications were read, ascending.
    package var read: [Int64] = []
    /// It stands for no notification: a badge was set, or notifications were read, and nothing else.
    package var isMark: Bool = false
    /// The offset of its entry in pushes; absent for one that was found in a feed.
    package var offset: Int64?
    /// The number of changes that it stands for; in a row of an older version 0: as many as notifications at least.
    package var changes: Int64 = 0

    package init() {}

    package init(
        source: SourcePositionMessage? = nil,
        merged: Int64 = 0,
        badge: Int64? = nil,
        isVisible: Bool = false,
        time: Int64 = 0,
        tries: Int32 = 0,
        due: Int64 = 0,
        withoutContents: Bool = false,
        sequence: Int64 = 0,
        read: [Int64] = [],
        isMark: Bool = false,
        offset: Int64? = nil,
        changes: Int64 = 0
    ) {
        self.source = source
        self.merged = merged
        self.badge = badge
        self.isVisible = isVisible
        self.time = time
        self.tries = tries
        self.due = due
        self.withoutContents = withoutContents
        self.sequence = sequence
        self.read = read
        self.isMark = isMark
        self.offset = offset
        self.changes = changes
    }

    package func encode(into writer: inout MessageWriter) {
        if let value = self.source { writer.write(value, field: 1) }
        if self.merged != 0 { writer.write(self.merged, as: Wire.Int64.self, field: 2) }
        if let value = self.badge { writer.write(value, as: Wire.Int64.self, field: 3) }
        if self.isVisible { writer.write(self.isVisible, as: Wire.Bool.self, field: 4) }
        if self.time != 0 { writer.write(self.time, as: Wire.Int64.self, field: 5) }
        if self.tries != 0 { writer.write(self.tries, as: Wire.Int32.self, field: 6) }
        if self.due != 0 { writer.write(self.due, as: Wire.Int64.self, field: 7) }
        if self.withoutContents { writer.write(self.withoutContents, as: Wire.Bool.self, field: 8) }
        if self.sequence != 0 { writer.write(self.sequence, as: Wire.Int64.self, field: 9) }
        writer.write(packed: self.read, as: Wire.Int64.self, field: 10)
        if self.isMark { writer.write(self.isMark, as: Wire.Bool.self, field: 11) }
        if let value = self.offset { writer.write(value, as: Wire.Int64.self, field: 12) }
        if self.changes != 0 { writer.write(self.changes, as: Wire.Int64.self, field: 13) }
    }

    package mutating func decode(from reader: inout MessageReader) throws(MessageError) {
        while let field = try reader.nextField() {
            switch field {
            case 1: try reader.read(into: &self.source)
            case 2: self.merged = try reader.read(Wire.Int64.self)
            case 3: self.badge = try reader.read(Wire.Int64.self)
            case 4: self.isVisible = try reader.read(Wire.Bool.self)
            case 5: self.time = try reader.read(Wire.Int64.self)
            case 6: self.tries = try reader.read(Wire.Int32.self)
            case 7: self.due = try reader.read(Wire.Int64.self)
            case 8: self.withoutContents = try reader.read(Wire.Bool.self)
            case 9: self.sequence = try reader.read(Wire.Int64.self)
            case 10: try reader.read(Wire.Int64.self, appendingTo: &self.read)
            case 11: self.isMark = try reader.read(Wire.Bool.self)
            case 12: self.offset = try reader.read(Wire.Int64.self)
            case 13: self.changes = try reader.read(Wire.Int64.self)
            default: try reader.skip()
            }
        }
    }
}

/// The pushes of one kind to one device.
package struct PushStateMessage: WireMessage {
    package var user: String = ""
    /// The name of the last push that was settled: the provider has it, or it was dropped for a reason.
    package var settled: SourcePositionMessage?
    /// Absent where nothing waits.
    package var waiting: WaitingPushMessage?
    /// The silent pushes that count against the rate at silent_time, in milliseconds since 1970 UTC; both 0 for none.
    package var silent: Int32 = 0
    package var silentTime: Int64 = 0
    /// The store's sequence of the address's registration, as the last push named it; 0 where none did.
    package var sequence: Int64 = 0
    /// The newest changes whose notifications were read and whose mark was not sent, ascending: the next push that is sent
    /// takes them along.
    package var read: [Int64] = []
    /// A badge that was set and not sent, for the next push that shows something; absent for none.
    package var badge: Int64?

    package init() {}

    package init(
        user: String = "",
        settled: SourcePositionMessage? = nil,
        waiting: WaitingPushMessage? = nil,
        silent: Int32 = 0,
        silentTime: Int64 = 0,
        sequence: Int64 = 0,
        read: [Int64] = [],
        badge: Int64? = nil
    ) {
        self.user = user
        self.settled = settled
        self.waiting = waiting
        self.silent = silent
        self.silentTime = silentTime
        self.sequence = sequence
        self.read = read
        self.badge = badge
    }

    package func encode(into writer: inout MessageWriter) {
        if !self.user.isEmpty { writer.write(self.user, field: 1) }
        if let value = self.settled { writer.write(value, field: 2) }
        if let value = self.waiting { writer.write(value, field: 3) }
        if self.silent != 0 { writer.write(self.silent, as: Wire.Int32.self, field: 4) }
        if self.silentTime != 0 { writer.write(self.silentTime, as: Wire.Int64.self, field: 5) }
        if self.sequence != 0 { writer.write(self.sequence, as: Wire.Int64.self, field: 6) }
        writer.write(packed: self.read, as: Wire.Int64.self, field: 7)
        if let value = self.badge { writer.write(value, as: Wire.Int64.self, field: 8) }
    }

    package mutating func decode(from reader: inout MessageReader) throws(MessageError) {
        while let field = try reader.nextField() {
            switch field {
            case 1: self.user = try reader.string()
            case 2: try reader.read(into: &self.settled)
            case 3: try reader.read(into: &self.waiting)
            case 4: self.silent = try reader.read(Wire.Int32.self)
            case 5: self.silentTime = try reader.read(Wire.Int64.self)
            case 6: self.sequence = try reader.read(Wire.Int64.self)
            case 7: try reader.read(Wire.Int64.self, appendingTo: &self.read)
            case 8: self.badge = try reader.read(Wire.Int64.self)
            default: try reader.skip()
            }
        }
    }
}
