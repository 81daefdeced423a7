import ProtocolBuffers

/// The text form of messages that `protoc --encode` reads, written without any code of the module under test.
struct TextFormat {
    private(set) var text = ""

    mutating func field(_ name: String, _ value: some FixedWidthInteger) { line(name, "\(value)") }
    mutating func field(_ name: String, _ value: Bool) { line(name, "\(value)") }
    mutating func field(_ name: String, _ value: Double) {
        line(name, value.isInfinite ? (value > 0 ? "inf" : "-inf") : "\(value)")
    }
    mutating func field(_ name: String, _ value: String) { field(name, Array(value.utf8)) }
    mutating func field(_ name: String, _ value: some WireEnumeration) { line(name, "\(value.rawValue)") }

    mutating func field(_ name: String, _ value: [UInt8]) {
        let escaped = value.map { byte in
            "\\" + [byte >> 6, byte >> 3 & 7, byte & 7].map { String($0) }.joined()
        }
        line(name, "\"\(escaped.joined())\"")
    }

    mutating func field(_ name: String, _ content: (inout TextFormat) -> Void) {
        text += "\(name) {\n"
        content(&self)
        text += "}\n"
    }

    private mutating func line(_ name: String, _ value: String) { text += "\(name): \(value)\n" }
}
