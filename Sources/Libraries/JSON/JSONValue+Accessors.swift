extension JSONValue {
    /// Indicates whether this is `null`.
    package var isNull: Bool { self == .null }

    /// The truth value, or nil if this is something else.
    package var bool: Bool? {
        if case .bool(let value) = self { value } else { nil }
    }

    /// The integer, or nil if this is something else; `1.0` is something else.
    package var integer: Int64? {
        if case .integer(let value) = self { value } else { nil }
    }

    /// The double, or nil if this is something else; `1` is something else.
    package var double: Double? {
        if case .double(let value) = self { value } else { nil }
    }

    /// The number, an integer rounded to a double if need be, or nil if this is something else.
    package var number: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .double(let value): value
        default: nil
        }
    }

    /// The string, or nil if this is something else.
    package var string: String? {
        if case .string(let value) = self { value } else { nil }
    }

    /// The elements, or nil if this is something else.
    package var array: [JSONValue]? {
        if case .array(let value) = self { value } else { nil }
    }

    /// The members, or nil if this is something else.
    package var object: JSONObject? {
        if case .object(let value) = self { value } else { nil }
    }

    /// The member with that key, or nil if there is none or this is no object.
    package subscript(key: String) -> JSONValue? {
        if case .object(let members) = self { members[key] } else { nil }
    }

    /// The element at that place, or nil if there is none or this is no array.
    package subscript(index: Int) -> JSONValue? {
        if case .array(let elements) = self, elements.indices.contains(index) { elements[index] } else { nil }
    }

    /// The kind of value, in a word for error messages: "an object", "null".
    package var kind: String {
        switch self {
        case .null: "null"
        case .bool: "a boolean"
        case .integer: "an integer"
        case .double: "a double"
        case .string: "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }
}
