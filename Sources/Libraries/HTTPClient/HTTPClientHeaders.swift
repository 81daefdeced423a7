/// The header fields of an answer in the order they came, looked up without regard to case.
package struct HTTPClientHeaders: Sendable {
    /// The lines of the head as they came. Most fields of most answers are never read, so texts are made on demand.
    private var lines: [UInt8] = []

    /// Headers from pairs, for tests of what reads answers.
    package init(_ pairs: [(String, String)]) {
        for (name, value) in pairs { lines += Array("\(name):\(value)\n".utf8) }
    }

    init() {}

    /// Takes the lines of a head, each with its end; a line without a colon is no field.
    init(lines: [UInt8]) { self.lines = lines }

    /// Every field as it was sent.
    package var all: [(name: String, value: String)] {
        lines.split(separator: 0x0A).compactMap { line in
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { return nil }
            let value = line[(colon + 1)...].trimming { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }
            return (String(decoding: line[..<colon], as: UTF8.self), String(decoding: value, as: UTF8.self))
        }
    }

    /// The first value of a field, nil when there is none.
    package subscript(name: String) -> String? {
        all.first { Self.isSame($0.name, name) }?.value
    }

    /// All values of a field that came more than once, in order.
    package func values(_ name: String) -> [String] {
        all.filter { Self.isSame($0.name, name) }.map(\.value)
    }

    /// Takes one line of a head with its end; a line without a colon is no field.
    mutating func append(line: UnsafeRawBufferPointer) {
        lines.append(contentsOf: line)
        if line.last != 0x0A { lines.append(0x0A) }
    }

    private static func isSame(_ left: String, _ right: String) -> Bool {
        left.utf8.count == right.utf8.count
            && zip(left.utf8, right.utf8).allSatisfy { $0 == $1 || $0 | 0x20 == $1 | 0x20 && isLetter($0 | 0x20) }
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) }
}

extension ArraySlice<UInt8> {
    fileprivate func trimming(_ isBlank: (UInt8) -> Bool) -> Self {
        guard let first = firstIndex(where: { !isBlank($0) }), let last = lastIndex(where: { !isBlank($0) }) else {
            return self[endIndex...]
        }
        return self[first...last]
    }
}
