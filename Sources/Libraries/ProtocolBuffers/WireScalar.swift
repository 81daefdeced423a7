/// One of the scalar types of the `.proto` language that can be packed: its Swift type and its form on the wire.
public protocol WireScalar {
    /// The Swift type.
    associatedtype Value: Sendable, Equatable

    /// The wire type of a single value.
    static var wireType: WireType { get }

    /// Reads one value, its tag already read.
    static func read(from reader: inout MessageReader) throws(MessageError) -> Value

    /// Appends one value without a tag.
    static func write(_ value: Value, into writer: inout MessageWriter)
}

extension WireScalar {
    /// A varint, as for most of them.
    @inlinable public static var wireType: WireType { .varint }
}

/// The scalar types of the `.proto` language, by their names there.
///
/// As in every implementation, values too wide for a 32-bit type lose their upper bits when read.
public enum Wire {
    /// `int32`; a negative one takes ten bytes.
    public enum Int32: WireScalar {
        /// Reads one value without its tag.
        @inlinable public static func read(from reader: inout MessageReader) throws(MessageError) -> Swift.Int32 {
            Swift.Int32(truncatingIfNeeded: try reader.varint())
        }
        /// Appends one value without a tag.
        @inlinable public static func write(_ value: Swift.Int32, into writer: inout MessageWriter) {
            writer.varint(Swift.UInt64(bitPattern: Swift.Int64(value)))
        }
    }

    /// `int64`; a negative one takes ten bytes.
    public enum Int64: WireScalar {
        /// Reads one value without its tag.
        @inlinable public static func read(from reader: inout MessageReader) throws(MessageError) -> Swift.Int64 {
            Swift.Int64(bitPattern: try reader.varint())
        }
        /// Appends one value without a tag.
        @inlinable public static func write(_ value: Swift.Int64, into writer: inout MessageWriter) {
            writer.varint(Swift.UInt64(bitPattern: value))
        }
    }

    /// `uint32`.
    public enum UInt32: WireScalar {
        /// Reads one value without its tag.
        @inlinable public static func read(from reader: inout MessageReader) throws(MessageError) -> Swift.UInt32 {
            Swift.UInt32(truncatingIfNeeded: try reader.varint())
        }
        /// Appends one value without a tag.
        @inlinable public static func write(_ value: Swift.UInt32, into writer: inout MessageWriter) {
            writer.varint(Swift.UInt64(value))
        }
    }

    /// `uint64`.
    public enum UInt64: WireScalar {
        /// Reads one value without its tag.
        @inlinable public static func read(from reader: inout MessageReader) throws(MessageError) -> Swift.UInt64 {
            try reader.varint()
        }
        /// Appends one value without a tag.
        @inlinable public static func write(_ value: Swift.UInt64, into writer: inout MessageWriter) {
            writer.varint(value)
        }
    }

    /// `bool`; any number but 0 is true.
    public enum Bool: WireScalar {
        /// Reads one value without its tag.
        @inlinable public static func read(from reader: inout MessageReader) throws(MessageError) -> Swift.Bool {
            try reader.varint() != 0
        }
        /// Appends one value without a tag.
        @inlinable public static func write(_ value: Swift.Bool, into writer: inout MessageWriter) {
            writer.varint(value ? 1 : 0)
        }
    }

    /// An enumeration.
    public enum Enumeration<Value: WireEnumeration>: WireScalar {
        /// Reads one value without its tag.
        @inlinable public static func read(from reader: inout MessageReader) throws(MessageError) -> Value {
            Value(rawValue: try Int32.read(from: &reader))
        }
        /// Appends one value without a tag.
        @inlinable public static func write(_ value: Value, into writer: inout MessageWriter) {
            Int32.write(value.rawValue, into: &writer)
        }
    }
}
