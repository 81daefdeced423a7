// Written by scripts/generate-messages from record.proto: change that file and run it again.
// swift-format-ignore-file

package import ProtocolBuffers

/// A zone of a database.
package struct ZoneMessage: WireMessage {
    package var name: String = ""
    /// The owner's record name; `_defaultOwner` in the public database.
    package var owner: String = ""

    package init() {}

    package init(
        name: String = "",
        owner: String = ""
    ) {
        self.name = name
        self.owner = owner
    }

    package func encode(into writer: inout MessageWriter) {
        if !self.name.isEmpty { writer.write(self.name, field: 1) }
        if !self.owner.isEmpty { writer.write(self.owner, field: 2) }
    }

    package mutating func decode(from reader: inout MessageReader) throws(MessageError) {
        while let field = try reader.nextField() {
            switch field {
            case 1: self.name = try reader.string()
            case 2: self.owner = try reader.string()
            default: try reader.skip()
            }
        }
    }
}

/// A reference to another record of the same database.
package struct ReferenceMessage: WireMessage {
    package var recordName: String = ""
    /// Absent: the zone of the record that holds the reference.
    package var zone: ZoneMessage?
    /// 0 none, 1 delete self, 2 validate.
    package var action: Int32 = 0

    package init() {}

    package init(
        recordName: String = "",
        zone: ZoneMessage? = nil,
        action: Int32 = 0
    ) {
        self.recordName = recordName
        self.zone = zone
        self.action = action
    }

    package func encode(into writer: inout MessageWriter) {
        if !self.recordName.isEmpty { writer.write(self.recordName, field: 1) }
        if let value = self.zone { writer.write(value, field: 2) }
        if self.action != 0 { writer.write(self.action, as: Wire.Int32.self, field: 3) }
    }

    package mutating func decode(from reader: inout MessageReader) throws(MessageError) {
        while let field = try reader.nextField() {
            switch field {
            case 1: self.recordName = try reader.string()
            case 2: try reader.read(into: &self.zone)
            case 3: self.action = try reader.read(Wire.Int32.self)
            default: try reader.skip()
            }
        }
    }
}

/// A list of strings.
package struct StringListMessage: WireMessage {
    package var elements: [String] = []

    package init() {}

    package init(
        elements: [String] = []
    ) {
        self.elements = elements
    }

    package func encode(into writer: inout MessageWriter) {
        for value in self.elements { writer.write(value, field: 1) }
    }

    package mutating func decode(from reader: inout MessageReader) throws(MessageError) {
        while let field = try reader.nextField() {
            switch field {
            case 1: self.elements.append(try reader.string())
            default: try reader.skip()
            }
        }
    }
}

/// A place on Earth; degrees and metres.
package struct LocationMessage: WireMessage {
    package var latitude: Double = 0
    package var longitude: Double = 0
    package var horizontalAccuracy: Double?
    package var verticalAccuracy: Double?
    package var altitude: Double?
    package var speed: Double?
    package var course: Double?
    /// Milliseconds since 1970 UTC.
    package var timestamp: Int64?

    package init() {}

    package init(
        latitude: Double = 0,
        longitude: Double = 0,
        horizontalAccuracy: Double? = nil,
        verticalAccuracy: Double? = nil,
        altitude: Double? = nil,
        speed: Double? = nil,
        course: Double? = nil,
        timestamp: Int64? = nil
    ) {
        self.latitude = latitude
        self.longitude = longitude
        self.horizontalAccuracy = horizontalAccuracy
        self.verticalAccuracy = verticalAccuracy
        self.altitude = altitude
        self.speed = speed
        self.course = course
        self.timestamp = timestamp
    }

    package func encode(into writer: inout MessageWriter) {
        if self.latitude.bitPattern != 0 { writer.write(self.latitude, as: Wire.Double.self, field: 1) }
        if self.longitude.bitPattern != 0 { writer.write(self.longitude, as: Wire.Double.self, field: 2) }
        if let value = self.horizontalAccuracy { writer.write(value, as: Wire.Double.self, field: 3) }
        if let value = self.verticalAccuracy { writer.write(value, as: Wire.Double.self, field: 4) }
        if let value = self.altitude { writer.write(value, as: Wire.Double.self, field: 5) }
        if let value = self.speed { writer.write(value, as: Wire.Double.self, field: 6) }
        if let value = self.course { writer.write(value, as: Wire.Double.self, field: 7) }
        if let value = self.timestamp { writer.write(value, as: Wire.SInt64.self, field: 8) }
    }

    package mutating func decode(from reader: inout MessageReader) throws(MessageError) {
        while let field = try reader.nextField() {
            switch field {
            case 1: self.latitude = try reader.read(Wire.Double.self)
            case 2: self.longitude = try reader.read(Wire.Double.self)
            case 3: self.horizontalAccuracy = try reader.read(Wire.Double.self)
            case 4: self.verticalAccuracy = try reader.read(Wire.Double.self)
            case 5: self.altitude = try reader.read(Wire.Double.self)
            case 6: self.speed = try reader.read(Wire.Double.self)
            case 7: self.course = try reader.read(Wire.Double.self)
            case 8: self.timestamp = try reader.read(Wire.SInt64.self)
            default: try reader.skip()
            }
        }
    }
}

/// A file whose bytes are kept apart.
package struct AssetMessage: WireMessage {
    /// Base64 of the SHA-256 of its bytes.
    package var fileChecksum: String = ""
    /// Bytes.
    package var size: Int64 = 0

    package init() {}

    package init(
        fileChecksum: String = "",
        size: Int64 = 0
    ) {
        self.fileChecksum = fileChecksum
        self.size = size
    }

    package func encode(into writer: inout MessageWriter) {
        if !self.fileChecksum.isEmpty { writer.write(self.fileChecksum, field: 1) }
        if self.size != 0 { writer.write(self.size, as: Wire.Int64.self, field: 2) }
    }

    package mutating func decode(from reader: inout MessageReader) throws(MessageError) {
        while let field = try reader.nextField() {
            switch field {
            case 1: self.fileChecksum = try reader.string()
            case 2: self.size = try reader.read(Wire.Int64.self)
            default: try reader.skip()
            }
        }
    }
}

/// A list of values of one type other than strings.
package struct ListMessage: WireMessage {
    /// The elements' type: 1 STRING, 2 INT64, 3 DOUBLE, 4 TIMESTAMP, 5 REFERENCE, 6 BYTES, 7 LOCATION, 8 ASSET.
    package var elementType: Int32 = 0
    package var elements: [ValueMessage] = []

    package init() {}

    package init(
        elementType: Int32 = 0,
        elements: [ValueMessage] = []
    ) {
        self.elementType = elementType
        self.elements = elements
    }

    package func encode(into writer: inout MessageWriter) {
        if self.elementType != 0 { writer.write(self.elementType, as: Wire.Int32.self, field: 1) }
        writer.write(each: self.elements, field: 2)
    }

    package mutating func decode(from reader: inout MessageReader) throws(MessageError) {
        while let field = try reader.nextField() {
            switch field {
            case 1: self.elementType = try reader.read(Wire.Int32.self)
            case 2: try reader.read(appendingTo: &self.elements)
            default: try reader.skip()
            }
        }
    }
}

/// The value of a field.
package struct ValueMessage: WireMessage {
    package var kind: Kind?

    package init() {}

    package init(
        kind: Kind? = nil
    ) {
        self.kind = kind
    }

    package func encode(into writer: inout MessageWriter) {
        if case .string(let value)? = self.kind { writer.write(value, field: 1) }
        if case .int64(let value)? = self.kind { writer.write(value, as: Wire.SInt64.self, field: 2) }
        if case .double(let value)? = self.kind { writer.write(value, as: Wire.Double.self, field: 3) }
        if case .timestamp(let value)? = self.kind { writer.write(value, as: Wire.SInt64.self, field: 4) }
        if case .reference(let value)? = self.kind { writer.write(value, field: 5) }
        if case .bytes(let value)? = self.kind { writer.write(value, field: 6) }
        if case .location(let value)? = self.kind { writer.write(value, field: 7) }
        if case .asset(let value)? = self.kind { writer.write(value, field: 8) }
        if case .stringList(let value)? = self.kind { writer.write(value, field: 17) }
        if case .list(let value)? = self.kind { writer.write(value, field: 18) }
        if case .sealed(let value)? = self.kind { writer.write(value, field: 33) }
    }

    package mutating func decode(from reader: inout MessageReader) throws(MessageError) {
        while let field = try reader.nextField() {
            switch field {
            case 1: self.kind = .string(try reader.string())
            case 2: self.kind = .int64(try reader.read(Wire.SInt64.self))
            case 3: self.kind = .double(try reader.read(Wire.Double.self))
            case 4: self.kind = .timestamp(try reader.read(Wire.SInt64.self))
            case 5:
                var value = ReferenceMessage()
                if case .reference(let current)? = self.kind { value = current }
                try reader.read(into: &value)
                self.kind = .reference(value)
            case 6: self.kind = .bytes(try reader.bytes())
            case 7:
                var value = LocationMessage()
                if case .location(let current)? = self.kind { value = current }
                try reader.read(into: &value)
                self.kind = .location(value)
            case 8:
                var value = AssetMessage()
                if case .asset(let current)? = self.kind { value = current }
                try reader.read(into: &value)
                self.kind = .asset(value)
            case 17:
                var value = StringListMessage()
                if case .stringList(let current)? = self.kind { value = current }
                try reader.read(into: &value)
                self.kind = .stringList(value)
            case 18:
                var value = ListMessage()
                if case .list(let current)? = self.kind { value = current }
                try reader.read(into: &value)
                self.kind = .list(value)
            case 33:
                var value = SealedValueMessage()
                if case .sealed(let current)? = self.kind { value = current }
                try reader.read(into: &value)
                self.kind = .sealed(value)
            default: try reader.skip()
            }
        }
    }

    package enum Kind: Sendable, Equatable {
        case string(String)
        case int64(Int64)
        case double(Double)
        /// Milliseconds since 1970 UTC.
        case timestamp(Int64)
        case reference(ReferenceMessage)
        case bytes([UInt8])
        case location(LocationMessage)
        case asset(AssetMessage)
        case stringList(StringListMessage)
        case list(ListMessage)
        case sealed(SealedValueMessage)
    }
}

/// The value of an encrypted field.
package struct SealedValueMessage: WireMessage {
    /// The type of the value that was sealed.
    package var type: Int32 = 0
    /// The value as a ValueMessage, and for times an ExactTimesMessage behind it, sealed by the service's key of fields for its place.
    package var content: [UInt8] = []

    package init() {}

    package init(
        type: Int32 = 0,
        content: [UInt8] = []
    ) {
        self.type = type
        self.content = content
    }

    package func encode(into writer: inout MessageWriter) {
        if self.type != 0 { writer.write(self.type, as: Wire.Int32.self, field: 1) }
        if !self.content.isEmpty { writer.write(self.content, field: 2) }
    }

    package mutating func decode(from reader: inout MessageReader) throws(MessageError) {
        while let field = try reader.nextField() {
            switch field {
            case 1: self.type = try reader.read(Wire.Int32.self)
            case 2: self.content = try reader.bytes()
            default: try reader.skip()
            }
        }
    }
}

/// Behind the ValueMessage of a sealed time or list of times: what milliseconds leave out. An older reader of the
/// ValueMessage skips it.
package struct ExactTimesMessage: WireMessage {
    /// Seconds since 2001 UTC, one for each time.
    package var seconds: [Double] = []

    package init() {}

    package init(
        seconds: [Double] = []
    ) {
        self.seconds = seconds
    }

    package func encode(into writer: inout MessageWriter) {
        writer.write(packed: self.seconds, as: Wire.Double.self, field: 34)
    }

    package mutating func decode(from reader: inout MessageReader) throws(MessageError) {
        while let field = try reader.nextField() {
            switch field {
            case 34: try reader.read(Wire.Double.self, appendingTo: &self.seconds)
            default: try reader.skip()
            }
        }
    }
}

/// A field of a record.
package struct FieldMessage: WireMessage {
    package var name: String = ""
    package var value: ValueMessage?

    package init() {}

    package init(
        name: String = "",
        value: ValueMessage? = nil
    ) {
        self.name = name
        self.value = value
    }

    package func encode(into writer: inout MessageWriter) {
        if !self.name.isEmpty { writer.write(self.name, field: 1) }
        if let value = self.value { writer.write(value, field: 2) }
    }

    package mutating func decode(from reader: inout MessageReader) throws(MessageError) {
        while let field = try reader.nextField() {
            switch field {
            case 1: self.name = try reader.string()
            case 2: try reader.read(into: &self.value)
            default: try reader.skip()
            }
        }
    }
}

/// The time, user and device of a record's creation or modification.
package struct StampMessage: WireMessage {
    /// Milliseconds since 1970 UTC.
    package var timestamp: Int64 = 0
    package var user: String = ""
    package var device: String?

    package init() {}

    package init(
        timestamp: Int64 = 0,
        user: String = "",
        device: String? = nil
    ) {
        self.timestamp = timestamp
        self.user = user
        self.device = device
    }

    package func encode(into writer: inout MessageWriter) {
        if self.timestamp != 0 { writer.write(self.timestamp, as: Wire.Int64.self, field: 1) }
        if !self.user.isEmpty { writer.write(self.user, field: 2) }
        if let value = self.device { writer.write(value, field: 3) }
    }

    package mutating func decode(from reader: inout MessageReader) throws(MessageError) {
        while let field = try reader.nextField() {
            switch field {
            case 1: self.timestamp = try reader.read(Wire.Int64.self)
            case 2: self.user = try reader.string()
            case 3: self.device = try reader.string()
            default: try reader.skip()
            }
        }
    }
}

/// A participant of a share.
package struct ParticipantMessage: WireMessage {
    package var user: String = ""
    /// 1 none, 2 read only, 3 read and write.
    package var permission: Int32 = 0
    /// Whether the user came by the share's public permission, without an invitation.
    package var isPublic: Bool = false
    /// The sequence of the acceptance; 0 while it is an invitation.
    package var accepted: Int64 = 0
    /// The address by which the user was invited.
    package var emailAddress: String?
    /// Whether the user may change the participants; only of one who was invited.
    package var isAdministrator: Bool = false

    package init() {}

    package init(
        user: String = "",
        permission: Int32 = 0,
        isPublic: Bool = false,
        accepted: Int64 = 0,
        emailAddress: String? = nil,
        isAdministrator: Bool = false
    ) {
        self.user = user
        self.permission = permission
        self.isPublic = isPublic
        self.accepted = accepted
        self.emailAddress = emailAddress
        self.isAdministrator = isAdministrator
    }

    package func encode(into writer: inout MessageWriter) {
        if !self.user.isEmpty { writer.write(self.user, field: 1) }
        if self.permission != 0 { writer.write(self.permission, as: Wire.Int32.self, field: 2) }
        if self.isPublic { writer.write(self.isPublic, as: Wire.Bool.self, field: 3) }
        if self.accepted != 0 { writer.write(self.accepted, as: Wire.Int64.self, field: 4) }
        if let value = self.emailAddress { writer.write(value, field: 5) }
        if self.isAdministrator { writer.write(self.isAdministrator, as: Wire.Bool.self, field: 6) }
    }

    package mutating func decode(from reader: inout MessageReader) throws(MessageError) {
        while let field = try reader.nextField() {
            switch field {
            case 1: self.user = try reader.string()
            case 2: self.permission = try reader.read(Wire.Int32.self)
            case 3: self.isPublic = try reader.read(Wire.Bool.self)
            case 4: self.accepted = try reader.read(Wire.Int64.self)
            case 5: self.emailAddress = try reader.string()
            case 6: self.isAdministrator = try reader.read(Wire.Bool.self)
            default: try reader.skip()
            }
        }
    }
}

/// The contents of a record of the type cloudkit.share.
package struct ShareMessage: WireMessage {
    /// The root record; absent: the whole zone.
    package var root: String?
    /// The access of everybody with the short GUID: 1 none, 2 read only, 3 read and write.
    package var publicPermission: Int32 = 0
    package var participants: [ParticipantMessage] = []
    package var shortGuid: String = ""

    package init() {}

    package init(
        root: String? = nil,
        publicPermission: Int32 = 0,
        participants: [ParticipantMessage] = [],
        shortGuid: String = ""
    ) {
        self.root = root
        self.publicPermission = publicPermission
        self.participants = participants
        self.shortGuid = shortGuid
    }

    package func encode(into writer: inout MessageWriter) {
        if let value = self.root { writer.write(value, field: 1) }
        if self.publicPermission != 0 { writer.write(self.publicPermission, as: Wire.Int32.self, field: 2) }
        writer.write(each: self.participants, field: 3)
        if !self.shortGuid.isEmpty { writer.write(self.shortGuid, field: 4) }
    }

    package mutating func decode(from reader: inout MessageReader) throws(MessageError) {
        while let field = try reader.nextField() {
            switch field {
            case 1: self.root = try reader.string()
            case 2: self.publicPermission = try reader.read(Wire.Int32.self)
            case 3: try reader.read(appendingTo: &self.participants)
            case 4: self.shortGuid = try reader.string()
            default: try reader.skip()
            }
        }
    }
}

/// A record. Fields are in the order of their names' bytes.
package struct RecordMessage: WireMessage {
    package var type: String = ""
    package var name: String = ""
    package var zone: ZoneMessage?
    package var changeTag: String = ""
    package var created: StampMessage?
    package var modified: StampMessage?
    package var fields: [FieldMessage] = []
    /// The record above this one, in the same zone.
    package var parent: String?
    /// The share of this record and its descendants.
    package var share: String?
    /// Of records of the type cloudkit.share only.
    package var shareDetails: ShareMessage?

    package init() {}

    package init(
        type: String = "",
        name: String = "",
        zone: ZoneMessage? = nil,
        changeTag: String = "",
        created: StampMessage? = nil,
        modified: StampMessage? = nil,
        fields: [FieldMessage] = [],
        parent: String? = nil,
        share: String? = nil,
        shareDetails: ShareMessage? = nil
    ) {
        self.type = type
        self.name = name
        self.zone = zone
        self.changeTag = changeTag
        self.created = created
        self.modified = modified
        self.fields = fields
        self.parent = parent
        self.share = share
        self.shareDetails = shareDetails
    }

    package func encode(into writer: inout MessageWriter) {
        if !self.type.isEmpty { writer.write(self.type, field: 1) }
        if !self.name.isEmpty { writer.write(self.name, field: 2) }
        if let value = self.zone { writer.write(value, field: 3) }
        if !self.changeTag.isEmpty { writer.write(self.changeTag, field: 4) }
        if let value = self.created { writer.write(value, field: 5) }
        if let value = self.modified { writer.write(value, field: 6) }
        writer.write(each: self.fields, field: 7)
        if let value = self.parent { writer.write(value, field: 8) }
        if let value = self.share { writer.write(value, field: 9) }
        if let value = self.shareDetails { writer.write(value, field: 10) }
    }

    package mutating func decode(from reader: inout MessageReader) throws(MessageError) {
        while let field = try reader.nextField() {
            switch field {
            case 1: self.type = try reader.string()
            case 2: self.name = try reader.string()
            case 3: try reader.read(into: &self.zone)
            case 4: self.changeTag = try reader.string()
            case 5: try reader.read(into: &self.created)
            case 6: try reader.read(into: &self.modified)
            case 7: try reader.read(appendingTo: &self.fields)
            case 8: self.parent = try reader.string()
            case 9: self.share = try reader.string()
            case 10: try reader.read(into: &self.shareDetails)
            default: try reader.skip()
            }
        }
    }
}
