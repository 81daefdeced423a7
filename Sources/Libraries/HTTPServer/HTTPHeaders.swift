/// The header fields of a request in the order they came, looked up without regard to case.
///
/// All names and values lie in one array of bytes, so that a request with twenty headers costs two allocations and only
/// the values somebody asks for become strings.
package struct HTTPHeaders: Sendable {
    private struct Field {
        var nameStart: UInt32
        var nameEnd: UInt32
        var valueEnd: UInt32
    }

    private var bytes: [UInt8] = []
    private var fields: [Field] = []

    init() {
        bytes.reserveCapacity(256)
        fields.reserveCapacity(8)
    }

    /// Headers from pairs, for tests of handlers.
    package init(_ pairs: [(String, String)]) {
        for (name, value) in pairs {
            append(name: Array(name.utf8)[...], value: Array(value.utf8)[...])
        }
    }

    /// The number of fields.
    package var count: Int { fields.count }

    /// The size of all names and values, in bytes, with four for each field's colon, space and line end.
    package var bytesTotal: Int { bytes.count + 4 * fields.count }

    /// The first value of a field, nil when there is none. Bytes that are not UTF-8 are replaced by U+FFFD.
    package subscript(name: String) -> String? {
        for field in fields where matches(field, name) { return value(of: field) }
        return nil
    }

    /// All values of a field that came more than once, in order.
    package func values(_ name: String) -> [String] {
        fields.filter { matches($0, name) }.map(value(of:))
    }

    /// Every field as it was sent.
    package var all: [(name: String, value: String)] {
        fields.map { (string(Int($0.nameStart)..<Int($0.nameEnd)), value(of: $0)) }
    }

    /// Appends a field; white space after the value belongs to the line, not to the value (RFC 9110, 5.5).
    mutating func append(name: some Sequence<UInt8>, value: some Sequence<UInt8>) {
        let start = bytes.count
        bytes.append(contentsOf: name)
        let nameEnd = bytes.count
        bytes.append(contentsOf: value)
        while bytes.count > nameEnd, let last = bytes.last, last == UInt8(ascii: " ") || last == UInt8(ascii: "\t") {
            bytes.removeLast()
        }
        fields.append(
            Field(nameStart: UInt32(start), nameEnd: UInt32(nameEnd), valueEnd: UInt32(bytes.count)))
    }

    /// Visits the bytes of each field, which live for the visit only.
    func forEach(_ visit: (_ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>) -> Void) {
        bytes.withUnsafeBufferPointer { all in
            for field in fields {
                let (start, middle, end) = (Int(field.nameStart), Int(field.nameEnd), Int(field.valueEnd))
                visit(.init(rebasing: all[start..<middle]), .init(rebasing: all[middle..<end]))
            }
        }
    }

    /// Returns true if the bytes equal a text in lower case, ignoring their case.
    static func isSame(_ bytes: UnsafeBufferPointer<UInt8>, _ lowercase: StaticString) -> Bool {
        guard bytes.count == lowercase.utf8CodeUnitCount else { return false }
        for index in bytes.indices where lowercased(bytes[index]) != lowercase.utf8Start[index] { return false }
        return true
    }

    private func matches(_ field: Field, _ name: String) -> Bool {
        let stored = bytes[Int(field.nameStart)..<Int(field.nameEnd)]
        guard stored.count == name.utf8.count else { return false }
        return zip(stored, name.utf8).allSatisfy { Self.lowercased($0) == Self.lowercased($1) }
    }

    private func value(of field: Field) -> String { string(Int(field.nameEnd)..<Int(field.valueEnd)) }

    private func string(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

    private static func lowercased(_ byte: UInt8) -> UInt8 {
        UInt8(ascii: "A") <= byte && byte <= UInt8(ascii: "Z") ? byte | 0x20 : byte
    }
}
