extension MessageReader {
    /// Reads the field that was begun as a number.
    @inlinable
    public mutating func read<Scalar: WireScalar>(_: Scalar.Type) throws(MessageError) -> Scalar.Value {
        try require(Scalar.wireType)
        return try Scalar.read(from: &self)
    }

    /// Reads the field that was begun as numbers, one or packed, and appends them.
    @inlinable
    public mutating func read<Scalar: WireScalar>(
        _: Scalar.Type, appendingTo values: inout [Scalar.Value]
    ) throws(MessageError) {
        guard type == .lengthDelimited else {
            values.append(try read(Scalar.self))
            return
        }
        let length = try length()
        let outerEnd = end
        end = offset + length
        while offset < end {
            values.append(try Scalar.read(from: &self))
        }
        end = outerEnd
    }

    /// Reads the field that was begun as a string.
    @inlinable
    public mutating func string() throws(MessageError) -> String {
        let length = try length()
        guard let text = String(utf8In: UnsafeRawBufferPointer(start: start + offset, count: length)) else {
            throw error(.invalidUTF8)
        }
        offset += length
        return text
    }

    /// Reads the field that was begun as bytes, which are copied.
    @inlinable
    public mutating func bytes() throws(MessageError) -> [UInt8] {
        let length = try length()
        defer { offset += length }
        return [UInt8](UnsafeRawBufferPointer(start: start + offset, count: length))
    }
}

extension String {
    /// Copies bytes that are UTF-8; nil if they are not.
    @usableFromInline
    init?(utf8In bytes: UnsafeRawBufferPointer) {
        let units = bytes.assumingMemoryBound(to: UInt8.self)
        if #available(macOS 26.0, *) {
            // Twice as fast as `String(validating:as:)`.
            guard let text = try? UTF8Span(validating: units.span) else { return nil }
            self = String(copying: text)
        } else {
            self.init(validating: units, as: UTF8.self)
        }
    }
}
