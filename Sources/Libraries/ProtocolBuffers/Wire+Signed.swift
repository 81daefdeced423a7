extension Wire {
    /// `sint32`: zigzag, so that small negative numbers are short.
    public enum SInt32: WireScalar {
        /// Reads one value without its tag.
        @inlinable public static func read(from reader: inout MessageReader) throws(MessageError) -> Swift.Int32 {
            let raw = Swift.UInt32(truncatingIfNeeded: try reader.varint())
            return Swift.Int32(bitPattern: raw >> 1) ^ -Swift.Int32(bitPattern: raw & 1)
        }
        /// Appends one value without a tag.
        @inlinable public static func write(_ value: Swift.Int32, into writer: inout MessageWriter) {
            writer.varint(Swift.UInt64(Swift.UInt32(bitPattern: (value << 1) ^ (value >> 31))))
        }
    }

    /// `sint64`: zigzag, so that small negative numbers are short.
    public enum SInt64: WireScalar {
        /// Reads one value without its tag.
        @inlinable public static func read(from reader: inout MessageReader) throws(MessageError) -> Swift.Int64 {
            let raw = try reader.varint()
            return Swift.Int64(bitPattern: raw >> 1) ^ -Swift.Int64(bitPattern: raw & 1)
        }
        /// Appends one value without a tag.
        @inlinable public static func write(_ value: Swift.Int64, into writer: inout MessageWriter) {
            writer.varint(Swift.UInt64(bitPattern: (value << 1) ^ (value >> 63)))
        }
    }
}
