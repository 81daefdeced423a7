/// Appends fields in the Protocol Buffers wire format to an array of bytes.
///
/// Every call writes, also a default value: leaving defaults out is the generated code's part.
package struct MessageWriter: Sendable {
    /// What was written so far.
    package var bytes: [UInt8] = []

    /// An empty writer with room for a message of usual size.
    @inlinable
    package init(capacityBytes: Int = 256) {
        bytes.reserveCapacity(capacityBytes)
    }

    /// Appends a number in groups of seven bits, lowest first, without a tag.
    @inlinable
    package mutating func varint(_ value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }

    /// Appends eight bytes, lowest first, without a tag.
    @inlinable
    package mutating func eightBytes(_ value: UInt64) {
        withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
    }

    /// Appends what stands before every field.
    @inlinable
    package mutating func tag(_ field: Int, _ type: WireType) {
        varint(UInt64(field) << 3 | UInt64(type.rawValue))
    }

    /// Appends one number.
    @inlinable
    package mutating func write<Scalar: WireScalar>(_ value: Scalar.Value, as: Scalar.Type, field: Int) {
        tag(field, Scalar.wireType)
        Scalar.write(value, into: &self)
    }

    /// Appends numbers packed in one field, and nothing when there are none.
    @inlinable
    package mutating func write<Scalar: WireScalar>(packed values: [Scalar.Value], as: Scalar.Type, field: Int) {
        if values.isEmpty { return }
        nested(field: field) { writer in
            for value in values { Scalar.write(value, into: &writer) }
        }
    }

    /// Appends a string.
    @inlinable
    package mutating func write(_ value: String, field: Int) {
        tag(field, .lengthDelimited)
        let text = value.utf8
        varint(UInt64(text.count))
        bytes.append(contentsOf: text)
    }

    /// Appends bytes.
    @inlinable
    package mutating func write(_ value: [UInt8], field: Int) {
        tag(field, .lengthDelimited)
        varint(UInt64(value.count))
        bytes.append(contentsOf: value)
    }

    /// Appends a message inside this one.
    @inlinable
    package mutating func write<Message: WireMessage>(_ message: Message, field: Int) {
        nested(field: field) { writer in message.encode(into: &writer) }
    }

    /// Appends an entry of a map: its key as field 1, and what `value` writes, as field 2.
    @inlinable
    package mutating func entry(_ key: String, field: Int, value: (inout MessageWriter) -> Void) {
        nested(field: field) { writer in
            writer.write(key, field: 1)
            value(&writer)
        }
    }

    /// Appends what `content` writes as one field with a length before it.
    ///
    /// Most nested messages are shorter than 128 bytes: one byte is kept free for the length, and only longer contents
    /// are moved.
    @inlinable
    package mutating func nested(field: Int, content: (inout MessageWriter) -> Void) {
        tag(field, .lengthDelimited)
        bytes.append(0)
        let start = bytes.count
        content(&self)
        let length = bytes.count - start
        if length < 0x80 {
            bytes[start - 1] = UInt8(length)
        } else {
            widenLength(of: length, at: start - 1)
        }
    }

    @usableFromInline
    mutating func widenLength(of length: Int, at position: Int) {
        var prefix = MessageWriter(capacityBytes: 10)
        prefix.varint(UInt64(length))
        bytes.replaceSubrange(position...position, with: prefix.bytes)
    }
}
