extension Wire {
    /// `fixed64`: always 8 bytes.
    package enum Fixed64: WireScalar {
        @inlinable package static var wireType: WireType { .fixed64 }
        @inlinable package static func read(from reader: inout MessageReader) throws(MessageError) -> Swift.UInt64 {
            try reader.eightBytes()
        }
        @inlinable package static func write(_ value: Swift.UInt64, into writer: inout MessageWriter) {
            writer.eightBytes(value)
        }
    }

    /// `sfixed64`: always 8 bytes.
    package enum SFixed64: WireScalar {
        @inlinable package static var wireType: WireType { .fixed64 }
        @inlinable package static func read(from reader: inout MessageReader) throws(MessageError) -> Swift.Int64 {
            Swift.Int64(bitPattern: try reader.eightBytes())
        }
        @inlinable package static func write(_ value: Swift.Int64, into writer: inout MessageWriter) {
            writer.eightBytes(Swift.UInt64(bitPattern: value))
        }
    }

    /// `double`: 8 bytes, every bit pattern kept.
    package enum Double: WireScalar {
        @inlinable package static var wireType: WireType { .fixed64 }
        @inlinable package static func read(from reader: inout MessageReader) throws(MessageError) -> Swift.Double {
            Swift.Double(bitPattern: try reader.eightBytes())
        }
        @inlinable package static func write(_ value: Swift.Double, into writer: inout MessageWriter) {
            writer.eightBytes(value.bitPattern)
        }
    }
}
