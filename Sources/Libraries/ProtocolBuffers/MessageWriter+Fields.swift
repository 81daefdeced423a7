extension MessageWriter {
    /// Appends one number.
    @inlinable
    public mutating func write<Scalar: WireScalar>(_ value: Scalar.Value, as: Scalar.Type, field: Int) {
        tag(field, Scalar.wireType)
        Scalar.write(value, into: &self)
    }

    /// Appends numbers packed in one field, and nothing when there are none.
    @inlinable
    public mutating func write<Scalar: WireScalar>(packed values: [Scalar.Value], as: Scalar.Type, field: Int) {
        if values.isEmpty { return }
        nested(field: field) { writer in
            for value in values { Scalar.write(value, into: &writer) }
        }
    }

    /// Appends a string.
    @inlinable
    public mutating func write(_ value: String, field: Int) {
        tag(field, .lengthDelimited)
        let text = value.utf8
        let written: Void? = text.withContiguousStorageIfAvailable { lengthDelimited(UnsafeRawBufferPointer($0)) }
        if written == nil { lengthDelimited(copying: text) }
    }

    /// Strings that came from elsewhere may not lie in one piece.
    @usableFromInline
    mutating func lengthDelimited(copying text: String.UTF8View) {
        Array(text).withUnsafeBytes { lengthDelimited($0) }
    }

    /// Appends bytes.
    @inlinable
    public mutating func write(_ value: [UInt8], field: Int) {
        tag(field, .lengthDelimited)
        value.withUnsafeBytes { lengthDelimited($0) }
    }

    /// Appends a message inside this one.
    @inlinable
    public mutating func write<Message: WireMessage>(_ message: Message, field: Int) {
        nested(field: field) { writer in message.encode(into: &writer) }
    }

    /// Appends messages, each a field of its own.
    @inlinable
    public mutating func write<Message: WireMessage>(each messages: [Message], field: Int) {
        // An array's iterator would copy every message.
        messages.withUnsafeBufferPointer { messages in
            for index in messages.indices { write(messages[index], field: field) }
        }
    }

    /// Appends an entry of a map: its key as field 1, and what `value` writes, as field 2.
    @inlinable
    public mutating func entry(_ key: String, field: Int, value: (inout MessageWriter) -> Void) {
        nested(field: field) { writer in
            writer.write(key, field: 1)
            value(&writer)
        }
    }
}
