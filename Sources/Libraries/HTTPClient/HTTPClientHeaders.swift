/// The header fields of an answer in the order they came, looked up without regard to case.
package struct HTTPClientHeaders: Sendable {
    /// Every field as it was sent.
    package private(set) var all: [(name: String, value: String)] = []

    /// Headers from pairs, for tests of what reads answers.
    package init(_ pairs: [(String, String)]) { all = pairs.map { (name: $0.0, value: $0.1) } }

    init() {}

    /// The first value of a field, nil when there is none.
    package subscript(name: String) -> String? {
        all.first { Self.isSame($0.name, name) }?.value
    }

    /// All values of a field that came more than once, in order.
    package func values(_ name: String) -> [String] {
        all.filter { Self.isSame($0.name, name) }.map(\.value)
    }

    /// Takes one line of a head; a line without a colon is no field.
    mutating func append(line: UnsafeRawBufferPointer) {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { return }
        let value = line[(colon + 1)...].trimming { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D || $0 == 0x0A }
        all.append((String(decoding: line[..<colon], as: UTF8.self), String(decoding: value, as: UTF8.self)))
    }

    private static func isSame(_ left: String, _ right: String) -> Bool {
        left.utf8.count == right.utf8.count
            && zip(left.utf8, right.utf8).allSatisfy { $0 == $1 || $0 | 0x20 == $1 | 0x20 && isLetter($0 | 0x20) }
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) }
}

extension Slice<UnsafeRawBufferPointer> {
    fileprivate func trimming(_ isBlank: (UInt8) -> Bool) -> Self {
        guard let first = firstIndex(where: { !isBlank($0) }), let last = lastIndex(where: { !isBlank($0) }) else {
            return self[endIndex...]
        }
        return self[first...last]
    }
}
