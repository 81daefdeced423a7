extension JSONWriter {
    /// Writes `null`.
    package mutating func null() {
        beginValue()
        bytes.append(contentsOf: "null".utf8)
    }

    /// Writes `true` or `false`.
    package mutating func value(_ value: Bool) {
        beginValue()
        bytes.append(contentsOf: (value ? "true" : "false").utf8)
    }

    /// Writes an integer.
    package mutating func value(_ value: Int64) {
        beginValue()
        if value < 0 { bytes.append(UInt8(ascii: "-")) }
        digits(of: value.magnitude)
    }

    /// Writes an integer.
    package mutating func value(_ value: Int) { self.value(Int64(value)) }

    /// Writes a double in the fewest digits that give it again, always with a fraction or an exponent; throws if it is
    /// not finite.
    package mutating func value(_ value: Double) throws(JSONError) {
        guard value.isFinite else { throw error("JSON has no form for \(value)") }
        beginValue()
        var text = value.description
        text.withUTF8 { bytes.append(contentsOf: $0) }
    }

    /// Writes a string.
    package mutating func value(_ value: String) {
        beginValue()
        quoted(value)
    }

    /// Writes a tree; throws as `JSONValue.serialized(pretty:)` does.
    package mutating func value(_ value: JSONValue) throws(JSONError) {
        switch value {
        case .null: null()
        case .bool(let value): self.value(value)
        case .integer(let value): self.value(value)
        case .double(let value): try self.value(value)
        case .string(let value): self.value(value)
        case .array(let elements):
            try checkDepth()
            beginArray()
            for element in elements { try self.value(element) }
            endArray()
        case .object(let members):
            try checkDepth()
            beginObject()
            for (key, value) in members {
                self.key(key)
                try self.value(value)
            }
            endObject()
        }
    }

    /// Writes a key and its value.
    package mutating func member(_ key: String, _ value: String) {
        self.key(key)
        self.value(value)
    }

    /// Writes a key and its value.
    package mutating func member(_ key: String, _ value: Int64) {
        self.key(key)
        self.value(value)
    }

    /// Writes a key and its value.
    package mutating func member(_ key: String, _ value: Int) {
        self.key(key)
        self.value(value)
    }

    /// Writes a key and its value.
    package mutating func member(_ key: String, _ value: Bool) {
        self.key(key)
        self.value(value)
    }

    /// Writes a key and its value; throws if it is not finite, after the key was written.
    package mutating func member(_ key: String, _ value: Double) throws(JSONError) {
        self.key(key)
        try self.value(value)
    }

    /// Writes a key and its value; throws as `JSONValue.serialized(pretty:)` does, after the key was written.
    package mutating func member(_ key: String, _ value: JSONValue) throws(JSONError) {
        self.key(key)
        try self.value(value)
    }

    /// Writes a key and an array, each element by a closure that writes one value.
    package mutating func array<Elements: Sequence>(
        _ key: String, _ elements: Elements, _ write: (Elements.Element, inout JSONWriter) -> Void
    ) {
        self.key(key)
        beginArray()
        for element in elements { write(element, &self) }
        endArray()
    }

    private func checkDepth() throws(JSONError) {
        if isDeepest { throw error("more than \(JSONValue.depthMax) levels") }
    }

    private func error(_ message: String) -> JSONError {
        bytes.withUnsafeBytes { JSONError(message, at: $0.count, of: $0) }
    }

    private mutating func digits(of value: UInt64) {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { digits in
            var first = 20
            var rest = value
            repeat {
                first -= 1
                digits.initializeElement(at: first, to: UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10))
                rest /= 10
            } while rest != 0
            bytes.append(contentsOf: digits[first...])
        }
    }
}
