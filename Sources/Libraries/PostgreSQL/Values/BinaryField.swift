/// The bytes of one value that a server sent in binary form. Each reading checks type and length, as a server may be
/// wrong or of another make.
struct BinaryField {
    /// The bytes; nil for NULL.
    let bytes: UnsafeRawBufferPointer?
    /// The number of the type; nil in a copy, which does not name it.
    let type: UInt32?

    /// Types that are read as text: text, varchar, bpchar, name, json, and the unknown type of a literal.
    private static let texts: Set<UInt32> = [25, 1043, 1042, 19, 114, 705]
    /// Types that are read as integers without a sign: oid, xid, xid8.
    private static let unsigned: Set<UInt32> = [26, 28, 5069]
    /// Types that are read as integers: int8, int2, int4, and those without a sign.
    private static let integers = unsigned.union([20, 21, 23])

    /// An integer of 2, 4 or 8 bytes.
    func integer() throws(UnexpectedValue) -> Int64 {
        let bytes = try bytes(of: Self.integers)
        let pattern = try Self.bits(bytes)
        if let type, Self.unsigned.contains(type) {
            guard let value = Int64(exactly: pattern) else { throw UnexpectedValue("an integer above 2^63 - 1") }
            return value
        }
        switch bytes.count {
        case 2: return Int64(Int16(truncatingIfNeeded: pattern))
        case 4: return Int64(Int32(truncatingIfNeeded: pattern))
        default: return Int64(bitPattern: pattern)
        }
    }

    /// A number of 4 or 8 bytes.
    func real() throws(UnexpectedValue) -> Double {
        let bytes = try bytes(of: [700, 701])
        guard bytes.count != 2 else { throw UnexpectedValue("2 bytes of a double") }
        let pattern = try Self.bits(bytes)
        return bytes.count == 4
            ? Double(Float(bitPattern: UInt32(truncatingIfNeeded: pattern))) : Double(bitPattern: pattern)
    }

    /// True or false.
    func bool() throws(UnexpectedValue) -> Bool {
        let bytes = try bytes(of: [16])
        guard bytes.count == 1, bytes[0] <= 1 else { throw UnexpectedValue("\(bytes.count) bytes of a boolean") }
        return bytes[0] == 1
    }

    /// A text, whose UTF-8 is checked.
    func text() throws(UnexpectedValue) -> String {
        let bytes = try bytes(of: Self.texts)
        guard let text = Self.utf8(bytes.bindMemory(to: UInt8.self)) else {
            throw UnexpectedValue("a text that is not UTF-8")
        }
        return text
    }

    private static func utf8(_ units: UnsafeBufferPointer<UInt8>) -> String? {
        guard #available(macOS 26.0, *) else { return String(validating: units, as: UTF8.self) }
        // Twice as fast as `String(validating:as:)`.
        guard let text = try? UTF8Span(validating: units.span) else { return nil }
        return String(copying: text)
    }

    /// The bytes of a `bytea`.
    func blob() throws(UnexpectedValue) -> UnsafeRawBufferPointer { try bytes(of: [17]) }

    /// The bytes, if the value is of one of the types and not NULL.
    private func bytes(of types: Set<UInt32>) throws(UnexpectedValue) -> UnsafeRawBufferPointer {
        if let type, !types.contains(type) { throw UnexpectedValue("a value of type \(type)") }
        guard let bytes else { throw UnexpectedValue("NULL") }
        return bytes
    }

    /// The bits of an integer of 2, 4 or 8 bytes in the order of the network.
    static func bits(_ bytes: UnsafeRawBufferPointer) throws(UnexpectedValue) -> UInt64 {
        guard [2, 4, 8].contains(bytes.count) else { throw UnexpectedValue("\(bytes.count) bytes of a number") }
        return bytes.reduce(0) { $0 << 8 | UInt64($1) }
    }
}

/// The reason why a value is not read.
struct UnexpectedValue: Error {
    let reason: String

    init(_ reason: String) { self.reason = reason }
}
