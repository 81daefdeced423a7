extension Wire {
    /// `fixed64`: always 8 bytes.
    public enum Fixed64: WireScalar {
        /// Eight bytes.
        @inlinable public static var wireType: WireType { .fixed64 }
        /// Reads one value without its tag.
        @inlinable public static func read(from reader: inout MessageReader) throws(MessageError) -> Swift.UInt64 {
            try reader.eightBytes()
        }
        /// Appends one value without a tag.
        @inlinable public static func write(_ value: Swift.UInt64, into writer: inout MessageWriter) {
            writer.eightBytes(value)
        }
    }

    /// `sfixed64`: always 8 bytes.
    public enum SFixed64: WireScalar {
        /// Eight bytes.
        @inlinable public static var wireType: WireType { .fixed64 }
        /// Reads one value without its tag.
        @inlinable public static func read(from reader: inout MessageReader) throws(MessageError) -> Swift.Int64 {
            Swift.Int64(bitPattern: try reader.eightBytes())
        }
        /// Appends one value without a tag.
        @inlinable public static func write(_ value: Swift.Int64, into writer: inout MessageWriter) {
            writer.eightBytes(Swift.UInt64(bitPattern: value))
        }
    }

    /// `double`: 8 bytes, every bit pattern kept.
    public enum Double: WireScalar {
        /// Eight bytes.
        @inlinable public static var wireType: WireType { .fixed64 }
        /// Reads one value without its tag.
        @inlinable public static func read(from reader: inout MessageReader) throws(MessageError) -> Swift.Double {
            Swift.Double(bitPattern: try reader.eightBytes())
        }
        /// Appends one value without a tag.
        @inlinable public static func write(_ value: Swift.Double, into writer: inout MessageWriter) {
            writer.eightBytes(value.bitPattern)
        }
    }
}
