// Written by scripts/generate-messages from command.proto: change that file and run it again.
// swift-format-ignore-file

package import EventLog
package import ProtocolBuffers

/// Delete a subscription that fired once, unless it was created again since.
package struct DeleteSubscription: WireMessage {
    package var user: String = ""
    package var database: Int32 = 0
    package var id: String = ""
    /// The sequence of the creation that is meant.
    package var created: Int64 = 0

    package init() {}

    package init(
        user: String = "",
        database: Int32 = 0,
        id: String = "",
        created: Int64 = 0
    ) {
        self.user = user
        self.database = database
        self.id = id
        self.created = created
    }

    package func encode(into writer: inout MessageWriter) {
        if !self.user.isEmpty { writer.write(self.user, field: 1) }
        if self.database != 0 { writer.write(self.database, as: Wire.Int32.self, field: 2) }
        if !self.id.isEmpty { writer.write(self.id, field: 3) }
        if self.created != 0 { writer.write(self.created, as: Wire.Int64.self, field: 4) }
    }

    package mutating func decode(from reader: inout MessageReader) throws(MessageError) {
        while let field = try reader.nextField() {
            switch field {
            case 1: self.user = try reader.string()
            case 2: self.database = try reader.read(Wire.Int32.self)
            case 3: self.id = try reader.string()
            case 4: self.created = try reader.read(Wire.Int64.self)
            default: try reader.skip()
            }
        }
    }
}

/// The backfills of subscriptions are delivered.
package struct BackfillsDelivered: WireMessage {
    package var user: String = ""
    /// The sequences of the creations.
    package var created: [Int64] = []

    package init() {}

    package init(
        user: String = "",
        created: [Int64] = []
    ) {
        self.user = user
        self.created = created
    }

    package func encode(into writer: inout MessageWriter) {
        if !self.user.isEmpty { writer.write(self.user, field: 1) }
        writer.write(packed: self.created, as: Wire.Int64.self, field: 2)
    }

    package mutating func decode(from reader: inout MessageReader) throws(MessageError) {
        while let field = try reader.nextField() {
            switch field {
            case 1: self.user = try reader.string()
            case 2: try reader.read(Wire.Int64.self, appendingTo: &self.created)
            default: try reader.skip()
            }
        }
    }
}

/// Remove the address of a registration that is dead, unless another one was made since.
package struct RemovePushAddress: WireMessage {
    package var device: String = ""
    package var kind: String = ""
    /// The sequence of the registration.
    package var sequence: Int64 = 0
    /// A word for the log.
    package var reason: String = ""

    package init() {}

    package init(
        device: String = "",
        kind: String = "",
        sequence: Int64 = 0,
        reason: String = ""
    ) {
        self.device = device
        self.kind = kind
        self.sequence = sequence
        self.reason = reason
    }

    package func encode(into writer: inout MessageWriter) {
        if !self.device.isEmpty { writer.write(self.device, field: 1) }
        if !self.kind.isEmpty { writer.write(self.kind, field: 2) }
        if self.sequence != 0 { writer.write(self.sequence, as: Wire.Int64.self, field: 3) }
        if !self.reason.isEmpty { writer.write(self.reason, field: 4) }
    }

    package mutating func decode(from reader: inout MessageReader) throws(MessageError) {
        while let field = try reader.nextField() {
            switch field {
            case 1: self.device = try reader.string()
            case 2: self.kind = try reader.string()
            case 3: self.sequence = try reader.read(Wire.Int64.self)
            case 4: self.reason = try reader.string()
            default: try reader.skip()
            }
        }
    }
}

/// The last pushes to the address of a registration.
package struct PushResult: WireMessage {
    package var device: String = ""
    package var kind: String = ""
    /// The sequence of the registration.
    package var sequence: Int64 = 0
    /// Milliseconds since 1970 UTC; absent: unchanged.
    package var succeeded: Int64?
    package var failed: Int64?
    package var reason: String = ""
    /// The statuses of the answers; absent where none came, and in results of older senders.
    package var succeededStatus: Int32?
    package var failedStatus: Int32?

    package init() {}

    package init(
        device: String = "",
        kind: String = "",
        sequence: Int64 = 0,
        succeeded: Int64? = nil,
        failed: Int64? = nil,
        reason: String = "",
        succeededStatus: Int32? = nil,
        failedStatus: Int32? = nil
    ) {
        self.device = device
        self.kind = kind
        self.sequence = sequence
        self.succeeded = succeeded
        self.failed = failed
        self.reason = reason
        self.succeededStatus = succeededStatus
        self.failedStatus = failedStatus
    }

    package func encode(into writer: inout MessageWriter) {
        if !self.device.isEmpty { writer.write(self.device, field: 1) }
        if !self.kind.isEmpty { writer.write(self.kind, field: 2) }
        if self.sequence != 0 { writer.write(self.sequence, as: Wire.Int64.self, field: 3) }
        if let value = self.succeeded { writer.write(value, as: Wire.Int64.self, field: 4) }
        if let value = self.failed { writer.write(value, as: Wire.Int64.self, field: 5) }
        if !self.reason.isEmpty { writer.write(self.reason, field: 6) }
        if let value = self.succeededStatus { writer.write(value, as: Wire.Int32.self, field: 7) }
        if let value = self.failedStatus { writer.write(value, as: Wire.Int32.self, field: 8) }
    }

    package mutating func decode(from reader: inout MessageReader) throws(MessageError) {
        while let field = try reader.nextField() {
            switch field {
            case 1: self.device = try reader.string()
            case 2: self.kind = try reader.string()
            case 3: self.sequence = try reader.read(Wire.Int64.self)
            case 4: self.succeeded = try reader.read(Wire.Int64.self)
            case 5: self.failed = try reader.read(Wire.Int64.self)
            case 6: self.reason = try reader.string()
            case 7: self.succeededStatus = try reader.read(Wire.Int32.self)
            case 8: self.failedStatus = try reader.read(Wire.Int32.self)
            default: try reader.skip()
            }
        }
    }
}

/// Results of several addresses.
package struct PushResults: WireMessage {
    package var results: [PushResult] = []

    package init() {}

    package init(
        results: [PushResult] = []
    ) {
        self.results = results
    }

    package func encode(into writer: inout MessageWriter) {
        writer.write(each: self.results, field: 1)
    }

    package mutating func decode(from reader: inout MessageReader) throws(MessageError) {
        while let field = try reader.nextField() {
            switch field {
            case 1: try reader.read(appendingTo: &self.results)
            default: try reader.skip()
            }
        }
    }
}

/// Publish a DeliveryDue for the user after a while.
package struct ScheduleDelivery: WireMessage {
    package var user: String = ""
    /// Milliseconds since 1970 UTC by the log's time: for the DeliveryDue.
    package var at: Int64 = 0
    /// Milliseconds from the command on: no clock has to agree with the log's.
    package var delay: Int64 = 0

    package init() {}

    package init(
        user: String = "",
        at: Int64 = 0,
        delay: Int64 = 0
    ) {
        self.user = user
        self.at = at
        self.delay = delay
    }

    package func encode(into writer: inout MessageWriter) {
        if !self.user.isEmpty { writer.write(self.user, field: 1) }
        if self.at != 0 { writer.write(self.at, as: Wire.Int64.self, field: 2) }
        if self.delay != 0 { writer.write(self.delay, as: Wire.Int64.self, field: 3) }
    }

    package mutating func decode(from reader: inout MessageReader) throws(MessageError) {
        while let field = try reader.nextField() {
            switch field {
            case 1: self.user = try reader.string()
            case 2: self.at = try reader.read(Wire.Int64.self)
            case 3: self.delay = try reader.read(Wire.Int64.self)
            default: try reader.skip()
            }
        }
    }
}

/// One command.
package struct Command: WireMessage {
    /// A position in deliveries. Absent where a command that is repeated does the same: those of push senders, which come
    /// between the others in no order.
    package var source: SourcePositionMessage?
    package var command: Command?

    package init() {}

    package init(
        source: SourcePositionMessage? = nil,
        command: Command? = nil
    ) {
        self.source = source
        self.command = command
    }

    package func encode(into writer: inout MessageWriter) {
        if let value = self.source { writer.write(value, field: 1) }
        if case .deleteSubscription(let value)? = self.command { writer.write(value, field: 2) }
        if case .backfillsDelivered(let value)? = self.command { writer.write(value, field: 20) }
        if case .removePushAddress(let value)? = self.command { writer.write(value, field: 21) }
        if case .pushResults(let value)? = self.command { writer.write(value, field: 22) }
        if case .scheduleDelivery(let value)? = self.command { writer.write(value, field: 23) }
    }

    package mutating func decode(from reader: inout MessageReader) throws(MessageError) {
        while let field = try reader.nextField() {
            switch field {
            case 1: try reader.read(into: &self.source)
            case 2:
                var value = DeleteSubscription()
                if case .deleteSubscription(let current)? = self.command { value = current }
                try reader.read(into: &value)
                self.command = .deleteSubscription(value)
            case 20:
                var value = BackfillsDelivered()
                if case .backfillsDelivered(let current)? = self.command { value = current }
                try reader.read(into: &value)
                self.command = .backfillsDelivered(value)
            case 21:
                var value = RemovePushAddress()
                if case .removePushAddress(let current)? = self.command { value = current }
                try reader.read(into: &value)
                self.command = .removePushAddress(value)
            case 22:
                var value = PushResults()
                if case .pushResults(let current)? = self.command { value = current }
                try reader.read(into: &value)
                self.command = .pushResults(value)
            case 23:
                var value = ScheduleDelivery()
                if case .scheduleDelivery(let current)? = self.command { value = current }
                try reader.read(into: &value)
                self.command = .scheduleDelivery(value)
            default: try reader.skip()
            }
        }
    }

    package enum Command: Sendable, Equatable {
        case deleteSubscription(DeleteSubscription)
        case backfillsDelivered(BackfillsDelivered)
        case removePushAddress(RemovePushAddress)
        case pushResults(PushResults)
        case scheduleDelivery(ScheduleDelivery)
    }
}
