// Written by scripts/generate-messages from subscription.proto: change that file and run it again.
// swift-format-ignore-file

package import EventLog
package import ProtocolBuffers

/// One entry of filterBy.
package struct FilterMessage: WireMessage {
    /// A field of the record's own; exclusive with system_field.
    package var field: String?
    /// 1 recordName, 2 createdTimestamp, 3 createdUserRecordName, 4 modifiedTimestamp, 5 modifiedUserRecordName,
    /// 100 all searchable texts.
    package var systemField: Int32?
    /// 1 EQUALS, 2 NOT_EQUALS, 3 LESS_THAN, 4 LESS_THAN_OR_EQUALS, 5 GREATER_THAN, 6 GREATER_THAN_OR_EQUALS, 7 IN, 8
    /// BEGINS_WITH, 9 LIST_CONTAINS, 10 NEAR, 11 CONTAINS_ALL_TOKENS, 12 CONTAINS_ANY_TOKENS, 13 NOT_IN, 14
    /// NOT_BEGINS_WITH, 15 NOT_LIST_CONTAINS, 16 LIST_CONTAINS_ANY, 17 NOT_LIST_CONTAINS_ANY, 18 LIST_CONTAINS_ALL, 19
    /// NOT_LIST_CONTAINS_ALL, 20 LIST_MEMBER_BEGINS_WITH, 21 NOT_LIST_MEMBER_BEGINS_WITH.
    package var comparator: Int32 = 0
    /// The value, or the values of a comparator that takes a list.
    package var operands: [ValueMessage] = []
    /// The type of the values of a list, as CloudKit numbers no types: 1 STRING, 2 INT64, 3 DOUBLE, 4 TIMESTAMP, 5
    /// REFERENCE, 6 BYTES, 7 LOCATION, 8 ASSET.
    package var operandType: Int32?
    /// Metres; NEAR only.
    package var distance: Double?

    package init() {}

    package init(
        field: String? = nil,
        systemField: Int32? = nil,
        comparator: Int32 = 0,
        operands: [ValueMessage] = [],
        operandType: Int32? = nil,
        distance: Double? = nil
    ) {
        self.field = field
        self.systemField = systemField
        self.comparator = comparator
        self.operands = operands
        self.operandType = operandType
        self.distance = distance
    }

    package func encode(into writer: inout MessageWriter) {
        if let value = self.field { writer.write(value, field: 1) }
        if let value = self.systemField { writer.write(value, as: Wire.Int32.self, field: 2) }
        if self.comparator != 0 { writer.write(self.comparator, as: Wire.Int32.self, field: 3) }
        writer.write(each: self.operands, field: 4)
        if let value = self.operandType { writer.write(value, as: Wire.Int32.self, field: 5) }
        if let value = self.distance { writer.write(value, as: Wire.Double.self, field: 6) }
    }

    package mutating func decode(from reader: inout MessageReader) throws(MessageError) {
        while let field = try reader.nextField() {
            switch field {
            case 1: self.field = try reader.string()
            case 2: self.systemField = try reader.read(Wire.Int32.self)
            case 3: self.comparator = try reader.read(Wire.Int32.self)
            case 4: try reader.read(appendingTo: &self.operands)
            case 5: self.operandType = try reader.read(Wire.Int32.self)
            case 6: self.distance = try reader.read(Wire.Double.self)
            default: try reader.skip()
            }
        }
    }
}

/// One comparison of a predicate string.
package struct ComparisonMessage: WireMessage {
    /// As in FilterMessage.
    package var field: String?
    package var systemField: Int32?
    /// 1 exists, 2 equals, 3 less, 4 less or equal, 5 greater, 6 greater or equal, 7 in, 8 begins with, 9 ends with, 10
    /// contains text, 11 like, 12 list contains, 13 list contains any, 14 list contains all, 15 list member begins with,
    /// 16 near, 17 near or as far, 18 all words, 19 any word.
    package var relation: Int32 = 0
    package var operands: [ValueMessage] = []
    /// Bits: 1 without case, 2 without diacritics.
    package var options: UInt32 = 0
    /// Metres; relations 16 and 17.
    package var metres: Double?

    package init() {}

    package init(
        field: String? = nil,
        systemField: Int32? = nil,
        relation: Int32 = 0,
        operands: [ValueMessage] = [],
        options: UInt32 = 0,
        metres: Double? = nil
    ) {
        self.field = field
        self.systemField = systemField
        self.relation = relation
        self.operands = operands
        self.options = options
        self.metres = metres
    }

    package func encode(into writer: inout MessageWriter) {
        if let value = self.field { writer.write(value, field: 1) }
        if let value = self.systemField { writer.write(value, as: Wire.Int32.self, field: 2) }
        if self.relation != 0 { writer.write(self.relation, as: Wire.Int32.self, field: 3) }
        writer.write(each: self.operands, field: 4)
        if self.options != 0 { writer.write(self.options, as: Wire.UInt32.self, field: 5) }
        if let value = self.metres { writer.write(value, as: Wire.Double.self, field: 6) }
    }

    package mutating func decode(from reader: inout MessageReader) throws(MessageError) {
        while let field = try reader.nextField() {
            switch field {
            case 1: self.field = try reader.string()
            case 2: self.systemField = try reader.read(Wire.Int32.self)
            case 3: self.relation = try reader.read(Wire.Int32.self)
            case 4: try reader.read(appendingTo: &self.operands)
            case 5: self.options = try reader.read(Wire.UInt32.self)
            case 6: self.metres = try reader.read(Wire.Double.self)
            default: try reader.skip()
            }
        }
    }
}

/// The typed tree of a predicate string.
package struct PredicateMessage: WireMessage {
    /// 1 always, 2 all parts, 3 any part, 4 not the part, 5 the comparison.
    package var kind: Int32 = 0
    package var parts: [PredicateMessage] = []
    package var comparison: ComparisonMessage?

    package init() {}

    package init(
        kind: Int32 = 0,
        parts: [PredicateMessage] = [],
        comparison: ComparisonMessage? = nil
    ) {
        self.kind = kind
        self.parts = parts
        self.comparison = comparison
    }

    package func encode(into writer: inout MessageWriter) {
        if self.kind != 0 { writer.write(self.kind, as: Wire.Int32.self, field: 1) }
        writer.write(each: self.parts, field: 2)
        if let value = self.comparison { writer.write(value, field: 3) }
    }

    package mutating func decode(from reader: inout MessageReader) throws(MessageError) {
        while let field = try reader.nextField() {
            switch field {
            case 1: self.kind = try reader.read(Wire.Int32.self)
            case 2: try reader.read(appendingTo: &self.parts)
            case 3: try reader.read(into: &self.comparison)
            default: try reader.skip()
            }
        }
    }
}

/// A predicate string as it was given, with what it came to.
package struct WrittenPredicateMessage: WireMessage {
    package var tree: PredicateMessage?
    package var text: String = ""
    /// predicateArguments, a JSON text.
    package var arguments: String?

    package init() {}

    package init(
        tree: PredicateMessage? = nil,
        text: String = "",
        arguments: String? = nil
    ) {
        self.tree = tree
        self.text = text
        self.arguments = arguments
    }

    package func encode(into writer: inout MessageWriter) {
        if let value = self.tree { writer.write(value, field: 1) }
        if !self.text.isEmpty { writer.write(self.text, field: 2) }
        if let value = self.arguments { writer.write(value, field: 3) }
    }

    package mutating func decode(from reader: inout MessageReader) throws(MessageError) {
        while let field = try reader.nextField() {
            switch field {
            case 1: try reader.read(into: &self.tree)
            case 2: self.text = try reader.string()
            case 3: self.arguments = try reader.string()
            default: try reader.skip()
            }
        }
    }
}

/// What a subscription watches.
package struct ConditionMessage: WireMessage {
    /// Empty in a zone or database subscription for all types.
    package var recordType: String = ""
    package var filters: [FilterMessage] = []
    /// The one zone it is limited to, or that is watched.
    package var zone: String?
    /// Bits: 1 create, 2 update, 4 delete, 16 enter, 32 leave.
    package var firesOn: UInt32 = 0
    package var firesOnce: Bool = false
    /// The predicate besides the filters.
    package var written: WrittenPredicateMessage?
    /// 0 query, 2 zone, 3 database.
    package var kind: Int32 = 0
    /// An update fires only if one of these fields changed; none means any.
    package var changedKeys: [String] = []

    package init() {}

    package init(
        recordType: String = "",
        filters: [FilterMessage] = [],
        zone: String? = nil,
        firesOn: UInt32 = 0,
        firesOnce: Bool = false,
        written: WrittenPredicateMessage? = nil,
        kind: Int32 = 0,
        changedKeys: [String] = []
    ) {
        self.recordType = recordType
        self.filters = filters
        self.zone = zone
        self.firesOn = firesOn
        self.firesOnce = firesOnce
        self.written = written
        self.kind = kind
        self.changedKeys = changedKeys
    }

    package func encode(into writer: inout MessageWriter) {
        if !self.recordType.isEmpty { writer.write(self.recordType, field: 1) }
        writer.write(each: self.filters, field: 2)
        if let value = self.zone { writer.write(value, field: 3) }
        if self.firesOn != 0 { writer.write(self.firesOn, as: Wire.UInt32.self, field: 4) }
        if self.firesOnce { writer.write(self.firesOnce, as: Wire.Bool.self, field: 5) }
        if let value = self.written { writer.write(value, field: 6) }
        if self.kind != 0 { writer.write(self.kind, as: Wire.Int32.self, field: 7) }
        for value in self.changedKeys { writer.write(value, field: 8) }
    }

    package mutating func decode(from reader: inout MessageReader) throws(MessageError) {
        while let field = try reader.nextField() {
            switch field {
            case 1: self.recordType = try reader.string()
            case 2: try reader.read(appendingTo: &self.filters)
            case 3: self.zone = try reader.string()
            case 4: self.firesOn = try reader.read(Wire.UInt32.self)
            case 5: self.firesOnce = try reader.read(Wire.Bool.self)
            case 6: try reader.read(into: &self.written)
            case 7: self.kind = try reader.read(Wire.Int32.self)
            case 8: self.changedKeys.append(try reader.string())
            default: try reader.skip()
            }
        }
    }
}

/// What notifications carry.
package struct NotificationInfoMessage: WireMessage {
    package var alertBody: String?
    package var additionalFields: [String] = []
    package var shouldBadge: Bool = false
    /// Absent: nothing but alert_body.
    package var appearance: AppearanceMessage?
    /// Absent: each change is notified at once.
    package var policy: PolicyMessage?

    package init() {}

    package init(
        alertBody: String? = nil,
        additionalFields: [String] = [],
        shouldBadge: Bool = false,
        appearance: AppearanceMessage? = nil,
        policy: PolicyMessage? = nil
    ) {
        self.alertBody = alertBody
        self.additionalFields = additionalFields
        self.shouldBadge = shouldBadge
        self.appearance = appearance
        self.policy = policy
    }

    package func encode(into writer: inout MessageWriter) {
        if let value = self.alertBody { writer.write(value, field: 1) }
        for value in self.additionalFields { writer.write(value, field: 2) }
        if self.shouldBadge { writer.write(self.shouldBadge, as: Wire.Bool.self, field: 3) }
        if let value = self.appearance { writer.write(value, field: 20) }
        if let value = self.policy { writer.write(value, field: 21) }
    }

    package mutating func decode(from reader: inout MessageReader) throws(MessageError) {
        while let field = try reader.nextField() {
            switch field {
            case 1: self.alertBody = try reader.string()
            case 2: self.additionalFields.append(try reader.string())
            case 3: self.shouldBadge = try reader.read(Wire.Bool.self)
            case 20: try reader.read(into: &self.appearance)
            case 21: try reader.read(into: &self.policy)
            default: try reader.skip()
            }
        }
    }
}

/// The backfill of a subscription, which is delivered before the changes after its creation.
package struct BackfillMessage: WireMessage {
    /// Changes committed before, in milliseconds since 1970 UTC, are left out.
    package var from: Int64 = 0
    /// In the public database: the readers of records of its type when it was created, as in ChangeEvent.
    package var reader: Int32 = 0
    /// In the shared database: the zones that were shared with its owner when it was created.
    package var zones: [ZoneMessage] = []
    /// Changes up to this sequence are left out, too: a query has shown them.
    package var after: Int64 = 0

    package init() {}

    package init(
        from: Int64 = 0,
        reader: Int32 = 0,
        zones: [ZoneMessage] = [],
        after: Int64 = 0
    ) {
        self.from = from
        self.reader = reader
        self.zones = zones
        self.after = after
    }

    package func encode(into writer: inout MessageWriter) {
        if self.from != 0 { writer.write(self.from, as: Wire.Int64.self, field: 1) }
        if self.reader != 0 { writer.write(self.reader, as: Wire.Int32.self, field: 2) }
        writer.write(each: self.zones, field: 3)
        if self.after != 0 { writer.write(self.after, as: Wire.Int64.self, field: 4) }
    }

    package mutating func decode(from reader: inout MessageReader) throws(MessageError) {
        while let field = try reader.nextField() {
            switch field {
            case 1: self.from = try reader.read(Wire.Int64.self)
            case 2: self.reader = try reader.read(Wire.Int32.self)
            case 3: try reader.read(appendingTo: &self.zones)
            case 4: self.after = try reader.read(Wire.Int64.self)
            default: try reader.skip()
            }
        }
    }
}

/// One save or deletion.
package struct SubscriptionEvent: WireMessage {
    /// The store and the sequence of the save or deletion.
    package var source: SourcePositionMessage?
    package var user: String = ""
    package var database: Int32 = 0
    package var id: String = ""
    /// The sequence of its creation; updates keep it.
    package var created: Int64 = 0
    /// Absent: deleted.
    package var condition: ConditionMessage?
    package var notificationInfo: NotificationInfoMessage?
    /// Absent: no backfill. An update has that of the creation.
    package var backfill: BackfillMessage?

    package init() {}

    package init(
        source: SourcePositionMessage? = nil,
        user: String = "",
        database: Int32 = 0,
        id: String = "",
        created: Int64 = 0,
        condition: ConditionMessage? = nil,
        notificationInfo: NotificationInfoMessage? = nil,
        backfill: BackfillMessage? = nil
    ) {
        self.source = source
        self.user = user
        self.database = database
        self.id = id
        self.created = created
        self.condition = condition
        self.notificationInfo = notificationInfo
        self.backfill = backfill
    }

    package func encode(into writer: inout MessageWriter) {
        if let value = self.source { writer.write(value, field: 1) }
        if !self.user.isEmpty { writer.write(self.user, field: 2) }
        if self.database != 0 { writer.write(self.database, as: Wire.Int32.self, field: 3) }
        if !self.id.isEmpty { writer.write(self.id, field: 4) }
        if self.created != 0 { writer.write(self.created, as: Wire.Int64.self, field: 5) }
        if let value = self.condition { writer.write(value, field: 6) }
        if let value = self.notificationInfo { writer.write(value, field: 7) }
        if let value = self.backfill { writer.write(value, field: 8) }
    }

    package mutating func decode(from reader: inout MessageReader) throws(MessageError) {
        while let field = try reader.nextField() {
            switch field {
            case 1: try reader.read(into: &self.source)
            case 2: self.user = try reader.string()
            case 3: self.database = try reader.read(Wire.Int32.self)
            case 4: self.id = try reader.string()
            case 5: self.created = try reader.read(Wire.Int64.self)
            case 6: try reader.read(into: &self.condition)
            case 7: try reader.read(into: &self.notificationInfo)
            case 8: try reader.read(into: &self.backfill)
            default: try reader.skip()
            }
        }
    }
}
