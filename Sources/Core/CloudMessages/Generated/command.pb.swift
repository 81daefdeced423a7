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

/// One command.
package struct Command: WireMessage {
    /// A position in deliveries.
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
            default: try reader.skip()
            }
        }
    }

    package enum Command: Sendable, Equatable {
        case deleteSubscription(DeleteSubscription)
        case backfillsDelivered(BackfillsDelivered)
    }
}
