// Written by scripts/generate-messages from policy.proto: change that file and run it again.
// swift-format-ignore-file

package import ProtocolBuffers

/// Hours in which nothing is pushed: minutes of the day by the device's clock. The end may be on the next day.
package struct QuietHoursMessage: WireMessage {
    package var from: Int32 = 0
    package var to: Int32 = 0

    package init() {}

    package init(
        from: Int32 = 0,
        to: Int32 = 0
    ) {
        self.from = from
        self.to = to
    }

    package func encode(into writer: inout MessageWriter) {
        if self.from != 0 { writer.write(self.from, as: Wire.Int32.self, field: 1) }
        if self.to != 0 { writer.write(self.to, as: Wire.Int32.self, field: 2) }
    }

    package mutating func decode(from reader: inout MessageReader) throws(MessageError) {
        while let field = try reader.nextField() {
            switch field {
            case 1: self.from = try reader.read(Wire.Int32.self)
            case 2: self.to = try reader.read(Wire.Int32.self)
            default: try reader.skip()
            }
        }
    }
}

/// The policy of a subscription, or the one that a user chose in its place.
package struct PolicyMessage: WireMessage {
    /// 0 every change, 1 the latest change of each record, 2 a digest.
    package var grouping: Int32 = 0
    /// Milliseconds for which changes are gathered; groupings 1 and 2.
    package var window: Int64 = 0
    /// The number of changes after which a digest is not held any longer; 0: any.
    package var count: Int32 = 0
    /// The number of pushes in an hour; 0: any.
    package var hourlyMax: Int32 = 0
    package var quietHours: QuietHoursMessage?
    /// The grouping acts on the feed, and so on pushes.
    package var shapesFeed: Bool = false

    package init() {}

    package init(
        grouping: Int32 = 0,
        window: Int64 = 0,
        count: Int32 = 0,
        hourlyMax: Int32 = 0,
        quietHours: QuietHoursMessage? = nil,
        shapesFeed: Bool = false
    ) {
        self.grouping = grouping
        self.window = window
        self.count = count
        self.hourlyMax = hourlyMax
        self.quietHours = quietHours
        self.shapesFeed = shapesFeed
    }

    package func encode(into writer: inout MessageWriter) {
        if self.grouping != 0 { writer.write(self.grouping, as: Wire.Int32.self, field: 1) }
        if self.window != 0 { writer.write(self.window, as: Wire.Int64.self, field: 2) }
        if self.count != 0 { writer.write(self.count, as: Wire.Int32.self, field: 3) }
        if self.hourlyMax != 0 { writer.write(self.hourlyMax, as: Wire.Int32.self, field: 4) }
        if let value = self.quietHours { writer.write(value, field: 5) }
        if self.shapesFeed { writer.write(self.shapesFeed, as: Wire.Bool.self, field: 6) }
    }

    package mutating func decode(from reader: inout MessageReader) throws(MessageError) {
        while let field = try reader.nextField() {
            switch field {
            case 1: self.grouping = try reader.read(Wire.Int32.self)
            case 2: self.window = try reader.read(Wire.Int64.self)
            case 3: self.count = try reader.read(Wire.Int32.self)
            case 4: self.hourlyMax = try reader.read(Wire.Int32.self)
            case 5: try reader.read(into: &self.quietHours)
            case 6: self.shapesFeed = try reader.read(Wire.Bool.self)
            default: try reader.skip()
            }
        }
    }
}

/// The distance of a device's clock from UTC, from a time on.
package struct ClockOffsetMessage: WireMessage {
    /// Milliseconds since 1970 UTC; the first one is for all times before the second.
    package var from: Int64 = 0
    /// East of Greenwich positive.
    package var minutes: Int32 = 0

    package init() {}

    package init(
        from: Int64 = 0,
        minutes: Int32 = 0
    ) {
        self.from = from
        self.minutes = minutes
    }

    package func encode(into writer: inout MessageWriter) {
        if self.from != 0 { writer.write(self.from, as: Wire.Int64.self, field: 1) }
        if self.minutes != 0 { writer.write(self.minutes, as: Wire.Int32.self, field: 2) }
    }

    package mutating func decode(from reader: inout MessageReader) throws(MessageError) {
        while let field = try reader.nextField() {
            switch field {
            case 1: self.from = try reader.read(Wire.Int64.self)
            case 2: self.minutes = try reader.read(Wire.Int32.self)
            default: try reader.skip()
            }
        }
    }
}

/// The policy that a user chose for one subscription on one device.
package struct ChosenPolicyMessage: WireMessage {
    package var database: Int32 = 0
    package var subscription: String = ""
    package var policy: PolicyMessage?

    package init() {}

    package init(
        database: Int32 = 0,
        subscription: String = "",
        policy: PolicyMessage? = nil
    ) {
        self.database = database
        self.subscription = subscription
        self.policy = policy
    }

    package func encode(into writer: inout MessageWriter) {
        if self.database != 0 { writer.write(self.database, as: Wire.Int32.self, field: 1) }
        if !self.subscription.isEmpty { writer.write(self.subscription, field: 2) }
        if let value = self.policy { writer.write(value, field: 3) }
    }

    package mutating func decode(from reader: inout MessageReader) throws(MessageError) {
        while let field = try reader.nextField() {
            switch field {
            case 1: self.database = try reader.read(Wire.Int32.self)
            case 2: self.subscription = try reader.string()
            case 3: try reader.read(into: &self.policy)
            default: try reader.skip()
            }
        }
    }
}

/// What a user chose for a device.
package struct DevicePoliciesMessage: WireMessage {
    package var clock: [ClockOffsetMessage] = []
    /// For all subscriptions that have none of their own here; absent: their policies hold.
    package var general: PolicyMessage?
    package var chosen: [ChosenPolicyMessage] = []

    package init() {}

    package init(
        clock: [ClockOffsetMessage] = [],
        general: PolicyMessage? = nil,
        chosen: [ChosenPolicyMessage] = []
    ) {
        self.clock = clock
        self.general = general
        self.chosen = chosen
    }

    package func encode(into writer: inout MessageWriter) {
        writer.write(each: self.clock, field: 1)
        if let value = self.general { writer.write(value, field: 2) }
        writer.write(each: self.chosen, field: 3)
    }

    package mutating func decode(from reader: inout MessageReader) throws(MessageError) {
        while let field = try reader.nextField() {
            switch field {
            case 1: try reader.read(appendingTo: &self.clock)
            case 2: try reader.read(into: &self.general)
            case 3: try reader.read(appendingTo: &self.chosen)
            default: try reader.skip()
            }
        }
    }
}
