/// A value for a parameter of a statement, sent in binary form.
package enum PostgreSQLValue: Sendable, Equatable {
    case null
    case bool(Bool)
    case int2(Int16)
    case int4(Int32)
    case int8(Int64)
    case float8(Double)
    case text(String)
    case bytea([UInt8])
    case int8Array([Int64])
    case textArray([String])
    case byteaArray([[UInt8]])

    /// An integer, or NULL for nil.
    package static func optional(_ value: Int64?) -> PostgreSQLValue { value.map { .int8($0) } ?? .null }
    /// A text, or NULL for nil.
    package static func optional(_ value: String?) -> PostgreSQLValue { value.map { .text($0) } ?? .null }
    /// Bytes, or NULL for nil.
    package static func optional(_ value: [UInt8]?) -> PostgreSQLValue { value.map { .bytea($0) } ?? .null }

    /// The type; nil for NULL, which fits each.
    var type: PostgreSQLType? {
        switch self {
        case .null: nil
        case .bool: .bool
        case .int2: .int2
        case .int4: .int4
        case .int8: .int8
        case .float8: .float8
        case .text: .text
        case .bytea: .bytea
        case .int8Array: .int8Array
        case .textArray: .textArray
        case .byteaArray: .byteaArray
        }
    }

    /// Appends the binary form, without its length; NULL has none.
    func append(to bytes: inout [UInt8]) {
        switch self {
        case .null: break
        case .bool(let value): bytes.append(value ? 1 : 0)
        case .int2(let value): bytes.append(bigEndian: value)
        case .int4(let value): bytes.append(bigEndian: value)
        case .int8(let value): bytes.append(bigEndian: value)
        case .float8(let value): bytes.append(bigEndian: value.bitPattern)
        case .text(let value): bytes += value.utf8
        case .bytea(let value): bytes += value
        case .int8Array(let values):
            Self.append(values, of: .int8, to: &bytes) { $1.append(bigEndian: $0) }
        case .textArray(let values):
            Self.append(values, of: .text, to: &bytes) { $1 += $0.utf8 }
        case .byteaArray(let values):
            Self.append(values, of: .bytea, to: &bytes) { $1 += $0 }
        }
    }

    /// Appends the binary form after its length of four bytes, as in arrays and copies.
    func appendWithLength(to bytes: inout [UInt8]) {
        if self == .null { return bytes.append(bigEndian: Int32(-1)) }
        Self.appendWithLength(to: &bytes) { append(to: &$0) }
    }

    /// An array: dimensions, a flag for NULLs, the element's type, the count, the first index, the elements.
    private static func append<Element>(
        _ values: [Element], of type: PostgreSQLType, to bytes: inout [UInt8],
        _ appendElement: (Element, inout [UInt8]) -> Void
    ) {
        bytes.append(bigEndian: Int32(values.isEmpty ? 0 : 1))
        bytes.append(bigEndian: Int32(0))
        bytes.append(bigEndian: type.identifier)
        guard !values.isEmpty else { return }
        bytes.append(bigEndian: Int32(values.count))
        bytes.append(bigEndian: Int32(1))
        for value in values { appendWithLength(to: &bytes) { appendElement(value, &$0) } }
    }

    private static func appendWithLength(to bytes: inout [UInt8], _ body: (inout [UInt8]) -> Void) {
        let start = bytes.count
        bytes.append(bigEndian: Int32(0))
        body(&bytes)
        let length = UInt32(bytes.count - start - 4)
        for place in 0..<4 { bytes[start + place] = UInt8(truncatingIfNeeded: length >> (24 - 8 * place)) }
    }
}

extension [UInt8] {
    /// Appends the bytes of an integer in the order of the network.
    mutating func append(bigEndian value: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: value.bigEndian) { append(contentsOf: $0) }
    }
}
