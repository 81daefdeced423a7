// Written by scripts/generate-messages from Everything.proto: change that file and run it again.
// swift-format-ignore-file

package import ProtocolBuffers

/// One field of each kind.
///
/// The second paragraph has `code` in it.
package struct Everything: WireMessage {
    /// Small signed number.
    package var int32Value: Int32 = 0
    package var int64Value: Int64 = 0
    package var uint32Value: UInt32 = 0
    package var uint64Value: UInt64 = 0
    package var sint32Value: Int32 = 0
    package var sint64Value: Int64 = 0
    package var fixed64Value: UInt64 = 0
    package var sfixed64Value: Int64 = 0
    package var doubleValue: Double = 0
    package var boolValue: Bool = false
    package var stringValue: String = ""
    /// Bytes as they are.
    package var bytesValue: [UInt8] = []
    package var weather: Everything.Weather = .unspecified
    package var shade: Shade = .unknown
    package var point: Everything.Point?
    /// Each with presence: nil and zero are two things.
    package var optionalInt32: Int32?
    package var optionalInt64: Int64?
    package var optionalDouble: Double?
    package var optionalBool: Bool?
    package var optionalString: String?
    package var optionalBytes: [UInt8]?
    package var optionalWeather: Everything.Weather?
    package var optionalPoint: Everything.Point?
    package var int32s: [Int32] = []
    package var int64s: [Int64] = []
    package var uint32s: [UInt32] = []
    package var uint64s: [UInt64] = []
    package var sint32s: [Int32] = []
    package var sint64s: [Int64] = []
    package var fixed64s: [UInt64] = []
    package var sfixed64s: [Int64] = []
    package var doubles: [Double] = []
    package var bools: [Bool] = []
    package var strings: [String] = []
    package var bytesList: [[UInt8]] = []
    package var weathers: [Everything.Weather] = []
    package var points: [Everything.Point] = []
    package var counts: MessageMap<Int64> = [:]
    package var labels: MessageMap<String> = [:]
    package var blobs: MessageMap<[UInt8]> = [:]
    package var forecasts: MessageMap<Everything.Weather> = [:]
    package var places: MessageMap<Everything.Point> = [:]
    package var weights: MessageMap<Double> = [:]
    /// What it is about.
    package var content: Content?
    /// A message that holds itself.
    @Indirect package var again: Everything?
    package var children: [Everything] = []
    package var named: MessageMap<Everything> = [:]
    package var deepest: Outer.Middle.Deepest?
    package var predicate: Predicate?
    /// Names that need care.
    package var snakeCaseName: String = ""
    package var `default`: String = ""
    package var `class`: Int32 = 0
    package var type: Int32 = 0
    package var `init`: Int32 = 0

    package init() {}

    package init(
        int32Value: Int32 = 0,
        int64Value: Int64 = 0,
        uint32Value: UInt32 = 0,
        uint64Value: UInt64 = 0,
        sint32Value: Int32 = 0,
        sint64Value: Int64 = 0,
        fixed64Value: UInt64 = 0,
        sfixed64Value: Int64 = 0,
        doubleValue: Double = 0,
        boolValue: Bool = false,
        stringValue: String = "",
        bytesValue: [UInt8] = [],
        weather: Everything.Weather = .unspecified,
        shade: Shade = .unknown,
        point: Everything.Point? = nil,
        optionalInt32: Int32? = nil,
        optionalInt64: Int64? = nil,
        optionalDouble: Double? = nil,
        optionalBool: Bool? = nil,
        optionalString: String? = nil,
        optionalBytes: [UInt8]? = nil,
        optionalWeather: Everything.Weather? = nil,
        optionalPoint: Everything.Point? = nil,
        int32s: [Int32] = [],
        int64s: [Int64] = [],
        uint32s: [UInt32] = [],
        uint64s: [UInt64] = [],
        sint32s: [Int32] = [],
        sint64s: [Int64] = [],
        fixed64s: [UInt64] = [],
        sfixed64s: [Int64] = [],
        doubles: [Double] = [],
        bools: [Bool] = [],
        strings: [String] = [],
        bytesList: [[UInt8]] = [],
        weathers: [Everything.Weather] = [],
        points: [Everything.Point] = [],
        counts: MessageMap<Int64> = [:],
        labels: MessageMap<String> = [:],
        blobs: MessageMap<[UInt8]> = [:],
        forecasts: MessageMap<Everything.Weather> = [:],
        places: MessageMap<Everything.Point> = [:],
        weights: MessageMap<Double> = [:],
        content: Content? = nil,
        again: Everything? = nil,
        children: [Everything] = [],
        named: MessageMap<Everything> = [:],
        deepest: Outer.Middle.Deepest? = nil,
        predicate: Predicate? = nil,
        snakeCaseName: String = "",
        `default`: String = "",
        `class`: Int32 = 0,
        type: Int32 = 0,
        `init`: Int32 = 0
    ) {
        self.int32Value = int32Value
        self.int64Value = int64Value
        self.uint32Value = uint32Value
        self.uint64Value = uint64Value
        self.sint32Value = sint32Value
        self.sint64Value = sint64Value
        self.fixed64Value = fixed64Value
        self.sfixed64Value = sfixed64Value
        self.doubleValue = doubleValue
        self.boolValue = boolValue
        self.stringValue = stringValue
        self.bytesValue = bytesValue
        self.weather = weather
        self.shade = shade
        self.point = point
        self.optionalInt32 = optionalInt32
        self.optionalInt64 = optionalInt64
        self.optionalDouble = optionalDouble
        self.optionalBool = optionalBool
        self.optionalString = optionalString
        self.optionalBytes = optionalBytes
        self.optionalWeather = optionalWeather
        self.optionalPoint = optionalPoint
        self.int32s = int32s
        self.int64s = int64s
        self.uint32s = uint32s
        self.uint64s = uint64s
        self.sint32s = sint32s
        self.sint64s = sint64s
        self.fixed64s = fixed64s
        self.sfixed64s = sfixed64s
        self.doubles = doubles
        self.bools = bools
        self.strings = strings
        self.bytesList = bytesList
        self.weathers = weathers
        self.points = points
        self.counts = counts
        self.labels = labels
        self.blobs = blobs
        self.forecasts = forecasts
        self.places = places
        self.weights = weights
        self.content = content
        self.again = again
        self.children = children
        self.named = named
        self.deepest = deepest
        self.predicate = predicate
        self.snakeCaseName = snakeCaseName
        self.`default` = `default`
        self.`class` = `class`
        self.type = type
        self.`init` = `init`
    }

    package func encode(into writer: inout MessageWriter) {
        if self.int32Value != 0 { writer.write(self.int32Value, as: Wire.Int32.self, field: 1) }
        if self.int64Value != 0 { writer.write(self.int64Value, as: Wire.Int64.self, field: 2) }
        if self.uint32Value != 0 { writer.write(self.uint32Value, as: Wire.UInt32.self, field: 3) }
        if self.uint64Value != 0 { writer.write(self.uint64Value, as: Wire.UInt64.self, field: 4) }
        if self.sint32Value != 0 { writer.write(self.sint32Value, as: Wire.SInt32.self, field: 5) }
        if self.sint64Value != 0 { writer.write(self.sint64Value, as: Wire.SInt64.self, field: 6) }
        if self.fixed64Value != 0 { writer.write(self.fixed64Value, as: Wire.Fixed64.self, field: 7) }
        if self.sfixed64Value != 0 { writer.write(self.sfixed64Value, as: Wire.SFixed64.self, field: 8) }
        if self.doubleValue.bitPattern != 0 { writer.write(self.doubleValue, as: Wire.Double.self, field: 9) }
        if self.boolValue { writer.write(self.boolValue, as: Wire.Bool.self, field: 10) }
        if !self.stringValue.isEmpty { writer.write(self.stringValue, field: 11) }
        if !self.bytesValue.isEmpty { writer.write(self.bytesValue, field: 12) }
        if self.weather.rawValue != 0 { writer.write(self.weather, as: Wire.Enumeration<Everything.Weather>.self, field: 13) }
        if self.shade.rawValue != 0 { writer.write(self.shade, as: Wire.Enumeration<Shade>.self, field: 14) }
        if let value = self.point { writer.write(value, field: 15) }
        if let value = self.optionalInt32 { writer.write(value, as: Wire.Int32.self, field: 16) }
        if let value = self.optionalInt64 { writer.write(value, as: Wire.Int64.self, field: 17) }
        if let value = self.optionalDouble { writer.write(value, as: Wire.Double.self, field: 18) }
        if let value = self.optionalBool { writer.write(value, as: Wire.Bool.self, field: 19) }
        if let value = self.optionalString { writer.write(value, field: 20) }
        if let value = self.optionalBytes { writer.write(value, field: 21) }
        if let value = self.optionalWeather { writer.write(value, as: Wire.Enumeration<Everything.Weather>.self, field: 22) }
        if let value = self.optionalPoint { writer.write(value, field: 23) }
        writer.write(packed: self.int32s, as: Wire.Int32.self, field: 24)
        writer.write(packed: self.int64s, as: Wire.Int64.self, field: 25)
        writer.write(packed: self.uint32s, as: Wire.UInt32.self, field: 26)
        writer.write(packed: self.uint64s, as: Wire.UInt64.self, field: 27)
        writer.write(packed: self.sint32s, as: Wire.SInt32.self, field: 28)
        writer.write(packed: self.sint64s, as: Wire.SInt64.self, field: 29)
        writer.write(packed: self.fixed64s, as: Wire.Fixed64.self, field: 30)
        writer.write(packed: self.sfixed64s, as: Wire.SFixed64.self, field: 31)
        writer.write(packed: self.doubles, as: Wire.Double.self, field: 32)
        writer.write(packed: self.bools, as: Wire.Bool.self, field: 33)
        for value in self.strings { writer.write(value, field: 34) }
        for value in self.bytesList { writer.write(value, field: 35) }
        writer.write(packed: self.weathers, as: Wire.Enumeration<Everything.Weather>.self, field: 36)
        writer.write(each: self.points, field: 37)
        for (key, value) in self.counts {
            writer.entry(key, field: 38) { $0.write(value, as: Wire.Int64.self, field: 2) }
        }
        for (key, value) in self.labels {
            writer.entry(key, field: 39) { $0.write(value, field: 2) }
        }
        for (key, value) in self.blobs {
            writer.entry(key, field: 40) { $0.write(value, field: 2) }
        }
        for (key, value) in self.forecasts {
            writer.entry(key, field: 41) { $0.write(value, as: Wire.Enumeration<Everything.Weather>.self, field: 2) }
        }
        for (key, value) in self.places {
            writer.entry(key, field: 42) { $0.write(value, field: 2) }
        }
        for (key, value) in self.weights {
            writer.entry(key, field: 43) { $0.write(value, as: Wire.Double.self, field: 2) }
        }
        if case .number(let value)? = self.content { writer.write(value, as: Wire.Int64.self, field: 50) }
        if case .text(let value)? = self.content { writer.write(value, field: 51) }
        if case .blob(let value)? = self.content { writer.write(value, field: 52) }
        if case .flag(let value)? = self.content { writer.write(value, as: Wire.Bool.self, field: 53) }
        if case .ratio(let value)? = self.content { writer.write(value, as: Wire.Double.self, field: 54) }
        if case .sky(let value)? = self.content { writer.write(value, as: Wire.Enumeration<Everything.Weather>.self, field: 55) }
        if case .location(let value)? = self.content { writer.write(value, field: 56) }
        if case .inner(let value)? = self.content { writer.write(value, field: 57) }
        if let value = self.again { writer.write(value, field: 60) }
        writer.write(each: self.children, field: 61)
        for (key, value) in self.named {
            writer.entry(key, field: 62) { $0.write(value, field: 2) }
        }
        if let value = self.deepest { writer.write(value, field: 63) }
        if let value = self.predicate { writer.write(value, field: 64) }
        if !self.snakeCaseName.isEmpty { writer.write(self.snakeCaseName, field: 70) }
        if !self.`default`.isEmpty { writer.write(self.`default`, field: 71) }
        if self.`class` != 0 { writer.write(self.`class`, as: Wire.Int32.self, field: 72) }
        if self.type != 0 { writer.write(self.type, as: Wire.Int32.self, field: 73) }
        if self.`init` != 0 { writer.write(self.`init`, as: Wire.Int32.self, field: 74) }
    }

    package mutating func decode(from reader: inout MessageReader) throws(MessageError) {
        while let field = try reader.nextField() {
            switch field {
            case 1: self.int32Value = try reader.read(Wire.Int32.self)
            case 2: self.int64Value = try reader.read(Wire.Int64.self)
            case 3: self.uint32Value = try reader.read(Wire.UInt32.self)
            case 4: self.uint64Value = try reader.read(Wire.UInt64.self)
            case 5: self.sint32Value = try reader.read(Wire.SInt32.self)
            case 6: self.sint64Value = try reader.read(Wire.SInt64.self)
            case 7: self.fixed64Value = try reader.read(Wire.Fixed64.self)
            case 8: self.sfixed64Value = try reader.read(Wire.SFixed64.self)
            case 9: self.doubleValue = try reader.read(Wire.Double.self)
            case 10: self.boolValue = try reader.read(Wire.Bool.self)
            case 11: self.stringValue = try reader.string()
            case 12: self.bytesValue = try reader.bytes()
            case 13: self.weather = try reader.read(Wire.Enumeration<Everything.Weather>.self)
            case 14: self.shade = try reader.read(Wire.Enumeration<Shade>.self)
            case 15: try reader.read(into: &self.point)
            case 16: self.optionalInt32 = try reader.read(Wire.Int32.self)
            case 17: self.optionalInt64 = try reader.read(Wire.Int64.self)
            case 18: self.optionalDouble = try reader.read(Wire.Double.self)
            case 19: self.optionalBool = try reader.read(Wire.Bool.self)
            case 20: self.optionalString = try reader.string()
            case 21: self.optionalBytes = try reader.bytes()
            case 22: self.optionalWeather = try reader.read(Wire.Enumeration<Everything.Weather>.self)
            case 23: try reader.read(into: &self.optionalPoint)
            case 24: try reader.read(Wire.Int32.self, appendingTo: &self.int32s)
            case 25: try reader.read(Wire.Int64.self, appendingTo: &self.int64s)
            case 26: try reader.read(Wire.UInt32.self, appendingTo: &self.uint32s)
            case 27: try reader.read(Wire.UInt64.self, appendingTo: &self.uint64s)
            case 28: try reader.read(Wire.SInt32.self, appendingTo: &self.sint32s)
            case 29: try reader.read(Wire.SInt64.self, appendingTo: &self.sint64s)
            case 30: try reader.read(Wire.Fixed64.self, appendingTo: &self.fixed64s)
            case 31: try reader.read(Wire.SFixed64.self, appendingTo: &self.sfixed64s)
            case 32: try reader.read(Wire.Double.self, appendingTo: &self.doubles)
            case 33: try reader.read(Wire.Bool.self, appendingTo: &self.bools)
            case 34: self.strings.append(try reader.string())
            case 35: self.bytesList.append(try reader.bytes())
            case 36: try reader.read(Wire.Enumeration<Everything.Weather>.self, appendingTo: &self.weathers)
            case 37: try reader.read(appendingTo: &self.points)
            case 38:
                try reader.read(into: &self.counts, unset: 0) { entry, value throws(MessageError) in
                    value = try entry.read(Wire.Int64.self)
                }
            case 39:
                try reader.read(into: &self.labels, unset: "") { entry, value throws(MessageError) in
                    value = try entry.string()
                }
            case 40:
                try reader.read(into: &self.blobs, unset: []) { entry, value throws(MessageError) in
                    value = try entry.bytes()
                }
            case 41:
                try reader.read(into: &self.forecasts, unset: .unspecified) { entry, value throws(MessageError) in
                    value = try entry.read(Wire.Enumeration<Everything.Weather>.self)
                }
            case 42:
                try reader.read(into: &self.places, unset: Everything.Point()) { entry, value throws(MessageError) in
                    try entry.read(into: &value)
                }
            case 43:
                try reader.read(into: &self.weights, unset: 0) { entry, value throws(MessageError) in
                    value = try entry.read(Wire.Double.self)
                }
            case 50: self.content = .number(try reader.read(Wire.Int64.self))
            case 51: self.content = .text(try reader.string())
            case 52: self.content = .blob(try reader.bytes())
            case 53: self.content = .flag(try reader.read(Wire.Bool.self))
            case 54: self.content = .ratio(try reader.read(Wire.Double.self))
            case 55: self.content = .sky(try reader.read(Wire.Enumeration<Everything.Weather>.self))
            case 56:
                var value = Everything.Point()
                if case .location(let current)? = self.content { value = current }
                try reader.read(into: &value)
                self.content = .location(value)
            case 57:
                var value = Everything()
                if case .inner(let current)? = self.content { value = current }
                try reader.read(into: &value)
                self.content = .inner(value)
            case 60: try reader.read(into: &self.again)
            case 61: try reader.read(appendingTo: &self.children)
            case 62:
                try reader.read(into: &self.named, unset: Everything()) { entry, value throws(MessageError) in
                    try entry.read(into: &value)
                }
            case 63: try reader.read(into: &self.deepest)
            case 64: try reader.read(into: &self.predicate)
            case 70: self.snakeCaseName = try reader.string()
            case 71: self.`default` = try reader.string()
            case 72: self.`class` = try reader.read(Wire.Int32.self)
            case 73: self.type = try reader.read(Wire.Int32.self)
            case 74: self.`init` = try reader.read(Wire.Int32.self)
            default: try reader.skip()
            }
        }
    }

    /// What it is about.
    package enum Content: Sendable, Equatable {
        /// A number.
        case number(Int64)
        case text(String)
        case blob([UInt8])
        case flag(Bool)
        case ratio(Double)
        case sky(Everything.Weather)
        case location(Everything.Point)
        /// The message in itself.
        indirect case inner(Everything)
    }

    /// A place.
    package struct Point: WireMessage {
        package var x: Int64 = 0
        package var y: Int64 = 0
        package var name: String = ""

        package init() {}

        package init(
            x: Int64 = 0,
            y: Int64 = 0,
            name: String = ""
        ) {
            self.x = x
            self.y = y
            self.name = name
        }

        package func encode(into writer: inout MessageWriter) {
            if self.x != 0 { writer.write(self.x, as: Wire.SInt64.self, field: 1) }
            if self.y != 0 { writer.write(self.y, as: Wire.SInt64.self, field: 2) }
            if !self.name.isEmpty { writer.write(self.name, field: 3) }
        }

        package mutating func decode(from reader: inout MessageReader) throws(MessageError) {
            while let field = try reader.nextField() {
                switch field {
                case 1: self.x = try reader.read(Wire.SInt64.self)
                case 2: self.y = try reader.read(Wire.SInt64.self)
                case 3: self.name = try reader.string()
                default: try reader.skip()
                }
            }
        }
    }

    /// What the sky does.
    package enum Weather: WireEnumeration {
        case unspecified
        /// No cloud.
        case clear
        case heavyRain
        case belowZero
        case `default`
        case unrecognized(Int32)

        package init(rawValue: Int32) {
            switch rawValue {
            case 0: self = .unspecified
            case 1: self = .clear
            case 2: self = .heavyRain
            case -3: self = .belowZero
            case 2147483647: self = .`default`
            default: self = .unrecognized(rawValue)
            }
        }

        package var rawValue: Int32 {
            switch self {
            case .unspecified: 0
            case .clear: 1
            case .heavyRain: 2
            case .belowZero: -3
            case .`default`: 2147483647
            case .unrecognized(let number): number
            }
        }
    }
}

/// A message without fields.
package struct Empty: WireMessage {

    package init() {}

    package func encode(into writer: inout MessageWriter) {
    }

    package mutating func decode(from reader: inout MessageReader) throws(MessageError) {
        while try reader.nextField() != nil { try reader.skip() }
    }
}

/// Types inside types.
package struct Outer: WireMessage {

    package init() {}

    package func encode(into writer: inout MessageWriter) {
    }

    package mutating func decode(from reader: inout MessageReader) throws(MessageError) {
        while try reader.nextField() != nil { try reader.skip() }
    }

    /// One level in.
    package struct Middle: WireMessage {

        package init() {}

        package func encode(into writer: inout MessageWriter) {
        }

        package mutating func decode(from reader: inout MessageReader) throws(MessageError) {
            while try reader.nextField() != nil { try reader.skip() }
        }

        /// Two levels in.
        package struct Deepest: WireMessage {
            package var depth: Int32 = 0
            package var nothing: Empty?

            package init() {}

            package init(
                depth: Int32 = 0,
                nothing: Empty? = nil
            ) {
                self.depth = depth
                self.nothing = nothing
            }

            package func encode(into writer: inout MessageWriter) {
                if self.depth != 0 { writer.write(self.depth, as: Wire.Int32.self, field: 1) }
                if let value = self.nothing { writer.write(value, field: 2) }
            }

            package mutating func decode(from reader: inout MessageReader) throws(MessageError) {
                while let field = try reader.nextField() {
                    switch field {
                    case 1: self.depth = try reader.read(Wire.Int32.self)
                    case 2: try reader.read(into: &self.nothing)
                    default: try reader.skip()
                    }
                }
            }
        }
    }
}

/// A tree whose nodes are one of several messages, as predicates are.
package struct Predicate: WireMessage {
    package var node: Node?

    package init() {}

    package init(
        node: Node? = nil
    ) {
        self.node = node
    }

    package func encode(into writer: inout MessageWriter) {
        if case .field(let value)? = self.node { writer.write(value, field: 1) }
        if case .all(let value)? = self.node { writer.write(value, field: 2) }
        if case .not(let value)? = self.node { writer.write(value, field: 3) }
    }

    package mutating func decode(from reader: inout MessageReader) throws(MessageError) {
        while let field = try reader.nextField() {
            switch field {
            case 1: self.node = .field(try reader.string())
            case 2:
                var value = Predicate.All()
                if case .all(let current)? = self.node { value = current }
                try reader.read(into: &value)
                self.node = .all(value)
            case 3:
                var value = Predicate()
                if case .not(let current)? = self.node { value = current }
                try reader.read(into: &value)
                self.node = .not(value)
            default: try reader.skip()
            }
        }
    }

    package enum Node: Sendable, Equatable {
        case field(String)
        indirect case all(Predicate.All)
        indirect case not(Predicate)
    }

    /// Several of them.
    package struct All: WireMessage {
        package var predicates: [Predicate] = []
        /// Two that refer to each other by single fields.
        @Indirect package var first: Predicate?

        package init() {}

        package init(
            predicates: [Predicate] = [],
            first: Predicate? = nil
        ) {
            self.predicates = predicates
            self.first = first
        }

        package func encode(into writer: inout MessageWriter) {
            writer.write(each: self.predicates, field: 1)
            if let value = self.first { writer.write(value, field: 2) }
        }

        package mutating func decode(from reader: inout MessageReader) throws(MessageError) {
            while let field = try reader.nextField() {
                switch field {
                case 1: try reader.read(appendingTo: &self.predicates)
                case 2: try reader.read(into: &self.first)
                default: try reader.skip()
                }
            }
        }
    }
}

/// Many, so that one call of protoc reads all of them.
package struct Corpus: WireMessage {
    package var items: [Everything] = []

    package init() {}

    package init(
        items: [Everything] = []
    ) {
        self.items = items
    }

    package func encode(into writer: inout MessageWriter) {
        writer.write(each: self.items, field: 1)
    }

    package mutating func decode(from reader: inout MessageReader) throws(MessageError) {
        while let field = try reader.nextField() {
            switch field {
            case 1: try reader.read(appendingTo: &self.items)
            default: try reader.skip()
            }
        }
    }
}
