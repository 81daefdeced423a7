import ProtocolBuffers

extension TextFormat {
    mutating func fields(of message: Everything) {
        singles(of: message)
        optionals(of: message)
        lists(of: message)
        maps(of: message)
        content(of: message)
        nesting(of: message)
    }

    private mutating func singles(of message: Everything) {
        field("int32Value", message.int32Value)
        field("int64Value", message.int64Value)
        field("uint32Value", message.uint32Value)
        field("uint64Value", message.uint64Value)
        field("sint32Value", message.sint32Value)
        field("sint64Value", message.sint64Value)
        field("fixed64Value", message.fixed64Value)
        field("sfixed64Value", message.sfixed64Value)
        field("doubleValue", message.doubleValue)
        field("boolValue", message.boolValue)
        field("stringValue", message.stringValue)
        field("bytesValue", message.bytesValue)
        field("weather", message.weather)
        field("shade", message.shade)
        message.point.map { field("point", $0) }
        field("snake_case_name", message.snakeCaseName)
        field("default", message.default)
        field("class", message.class)
        field("type", message.type)
        field("init", message.`init`)
    }

    private mutating func optionals(of message: Everything) {
        message.optionalInt32.map { field("optionalInt32", $0) }
        message.optionalInt64.map { field("optionalInt64", $0) }
        message.optionalDouble.map { field("optionalDouble", $0) }
        message.optionalBool.map { field("optionalBool", $0) }
        message.optionalString.map { field("optionalString", $0) }
        message.optionalBytes.map { field("optionalBytes", $0) }
        message.optionalWeather.map { field("optionalWeather", $0) }
        message.optionalPoint.map { field("optionalPoint", $0) }
    }

    private mutating func lists(of message: Everything) {
        message.int32s.forEach { field("int32s", $0) }
        message.int64s.forEach { field("int64s", $0) }
        message.uint32s.forEach { field("uint32s", $0) }
        message.uint64s.forEach { field("uint64s", $0) }
        message.sint32s.forEach { field("sint32s", $0) }
        message.sint64s.forEach { field("sint64s", $0) }
        message.fixed64s.forEach { field("fixed64s", $0) }
        message.sfixed64s.forEach { field("sfixed64s", $0) }
        message.doubles.forEach { field("doubles", $0) }
        message.bools.forEach { field("bools", $0) }
        message.strings.forEach { field("strings", $0) }
        message.bytesList.forEach { field("bytesList", $0) }
        message.weathers.forEach { field("weathers", $0) }
        message.points.forEach { field("points", $0) }
    }

    private mutating func maps(of message: Everything) {
        for (key, value) in message.counts { entry("counts", key) { $0.field("value", value) } }
        for (key, value) in message.labels { entry("labels", key) { $0.field("value", value) } }
        for (key, value) in message.blobs { entry("blobs", key) { $0.field("value", value) } }
        for (key, value) in message.forecasts { entry("forecasts", key) { $0.field("value", value) } }
        for (key, value) in message.places { entry("places", key) { $0.field("value", value) } }
        for (key, value) in message.weights { entry("weights", key) { $0.field("value", value) } }
        for (key, value) in message.named {
            entry("named", key) { $0.field("value") { $0.fields(of: value) } }
        }
    }

    private mutating func content(of message: Everything) {
        switch message.content {
        case .number(let value): field("number", value)
        case .text(let value): field("text", value)
        case .blob(let value): field("blob", value)
        case .flag(let value): field("flag", value)
        case .ratio(let value): field("ratio", value)
        case .sky(let value): field("sky", value)
        case .location(let value): field("location", value)
        case .inner(let value): field("inner") { $0.fields(of: value) }
        case nil: break
        }
    }

    private mutating func nesting(of message: Everything) {
        if let value = message.again { field("again") { $0.fields(of: value) } }
        for child in message.children { field("children") { $0.fields(of: child) } }
        if let value = message.deepest {
            field("deepest") { text in
                text.field("depth", value.depth)
                if value.nothing != nil { text.field("nothing") { _ in } }
            }
        }
        if let value = message.predicate { field("predicate") { $0.fields(of: value) } }
    }

    private mutating func fields(of predicate: Predicate) {
        switch predicate.node {
        case .field(let name): field("field", name)
        case .not(let inner): field("not") { $0.fields(of: inner) }
        case .all(let all):
            field("all") { text in
                for predicate in all.predicates { text.field("predicates") { $0.fields(of: predicate) } }
                if let first = all.first { text.field("first") { $0.fields(of: first) } }
            }
        case nil: break
        }
    }

    fileprivate mutating func field(_ name: String, _ point: Everything.Point) {
        field(name) { text in
            text.field("x", point.x)
            text.field("y", point.y)
            text.field("name", point.name)
        }
    }

    private mutating func entry(_ name: String, _ key: String, value: (inout TextFormat) -> Void) {
        field(name) { text in
            text.field("key", key)
            value(&text)
        }
    }
}
