import TextForms

/// Renders log lines.
enum LogLine {
    static func render(
        _ level: LogLevel, _ message: StaticString, _ fields: KeyValuePairs<StaticString, any LogValue>,
        milliseconds: Int64, trace: TraceContext? = nil
    ) -> [UInt8] {
        var line: [UInt8] = []
        line.reserveCapacity(256)
        line.append(contentsOf: "{\"time\":\(milliseconds),\"level\":\"\(level)\",\"message\":".utf8)
        message.description.appendJSON(to: &line)
        for (key, value) in fields {
            line.append(contentsOf: ",\"\(key)\":".utf8)
            value.appendJSON(to: &line)
        }
        if let trace { line.append(contentsOf: ",\"trace\":\"\(trace.traceID)\"".utf8) }
        line.append(UInt8(ascii: "}"))
        // A line may go to a terminal: what JSON allows and a terminal obeys is escaped, too.
        if line.contains(where: { $0 >= 0x7F }) {
            line = Array(TerminalText.escaped(String(decoding: line, as: UTF8.self)).utf8)
        }
        line.append(UInt8(ascii: "\n"))
        return line
    }

    static func appendEscaped(_ byte: UInt8, to line: inout [UInt8]) {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"):
            line.append(UInt8(ascii: "\\"))
            line.append(byte)
        case 0x0a: line.append(contentsOf: "\\n".utf8)
        case 0..<0x20:
            line.append(contentsOf: "\\u00".utf8)
            line.append(contentsOf: Hexadecimal.encode([byte]).utf8)
        default: line.append(byte)
        }
    }
}
