/// A JSON text as a tree, in which `1` and `1.0` are two things.
package enum JSONValue: Sendable, Equatable {
    /// The most arrays and objects that may be inside one another, in reading and in writing.
    package static let depthMax = 64

    /// The most values that a text may have that is read: a tree takes many times the memory of its text.
    package static let valuesMax = 2_000_000

    /// `null`.
    case null
    /// `true` or `false`.
    case bool(Bool)
    /// A number without fraction and exponent. `-0` is 0.
    case integer(Int64)
    /// A number with a fraction or an exponent.
    case double(Double)
    /// A string.
    case string(String)
    /// An array.
    case array([JSONValue])
    /// An object.
    case object(JSONObject)
}

extension JSONValue {
    /// Reads a whole text by RFC 8259 and no more: UTF-8, one value, no key twice, no lone surrogates, integers within
    /// `Int64`, doubles that are finite, `depthMax` levels, `valuesMax` values, nothing after the value.
    package init(parsing text: [UInt8]) throws(JSONError) {
        self = try text.span.withUnsafeBytes { bytes throws(JSONError) in try JSONValue(parsing: bytes) }
    }

    /// Reads a whole text from memory that stays unchanged during the call and is not kept.
    package init(parsing text: UnsafeRawBufferPointer) throws(JSONError) {
        var reader = JSONReader(text)
        self = try reader.wholeText()
    }

    /// The value as a text: members in their order, no space, or indented by two for people to read.
    ///
    /// Throws on a double that is not finite, for which JSON has no form, and on more than `depthMax` levels.
    package func serialized(pretty: Bool = false) throws(JSONError) -> [UInt8] {
        var writer = JSONWriter(pretty: pretty)
        try writer.value(self)
        return writer.bytes
    }
}
