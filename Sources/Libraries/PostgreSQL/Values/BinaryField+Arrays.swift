extension BinaryField {
    /// The arrays that are read, with the types of their elements.
    private static let elements: [UInt32: UInt32] = [
        1016: 20, 1007: 23, 1005: 21, 1028: 26, 1009: 25, 1015: 1043, 1001: 17,
    ]

    /// Calls `body` with each element of an array of one dimension, in order.
    ///
    /// The form: dimensions, a flag for NULLs and the type of elements, of 4 bytes each; for each dimension its count
    /// and its first index; then each element after its length, which is -1 for NULL.
    func elements(_ body: (BinaryField) throws(UnexpectedValue) -> Void) throws(UnexpectedValue) {
        guard let bytes else { throw UnexpectedValue("NULL") }
        var rest = ByteReader(bytes)
        let dimensions = try rest.int4()
        _ = try rest.int4()
        let element = UInt32(bitPattern: try rest.int4())
        if let type, Self.elements[type] != element { throw UnexpectedValue("elements of type \(element) in \(type)") }
        guard Self.elements.values.contains(element) else { throw UnexpectedValue("elements of type \(element)") }
        guard dimensions == 0 || dimensions == 1 else { throw UnexpectedValue("\(dimensions) dimensions") }
        if dimensions == 1 {
            let count = try rest.int4()
            _ = try rest.int4()
            // Each takes the four bytes of its length, so that no count makes this loop longer than the bytes are.
            guard count >= 0, Int(count) <= rest.count / 4 else { throw UnexpectedValue("\(count) elements") }
            for _ in 0..<count { try body(BinaryField(bytes: try rest.field(), type: element)) }
        }
        guard rest.count == 0 else { throw UnexpectedValue("\(rest.count) bytes behind an array") }
    }
}

/// Reads integers and fields from bytes, and never passes their end.
struct ByteReader {
    private let bytes: UnsafeRawBufferPointer
    private(set) var position = 0

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    /// The number of bytes that are left.
    var count: Int { bytes.count - position }

    /// So many bytes.
    mutating func take(_ count: Int) throws(UnexpectedValue) -> UnsafeRawBufferPointer {
        guard count >= 0, count <= self.count else { throw UnexpectedValue("\(self.count) bytes instead of \(count)") }
        defer { position += count }
        return UnsafeRawBufferPointer(rebasing: bytes[position..<position + count])
    }

    mutating func int2() throws(UnexpectedValue) -> Int16 {
        Int16(truncatingIfNeeded: try BinaryField.bits(try take(2)))
    }

    mutating func int4() throws(UnexpectedValue) -> Int32 {
        Int32(truncatingIfNeeded: try BinaryField.bits(try take(4)))
    }

    /// Bytes after their length; nil for NULL, whose length is -1.
    mutating func field() throws(UnexpectedValue) -> UnsafeRawBufferPointer? {
        let length = try int4()
        return length == -1 ? nil : try take(Int(length))
    }
}
